// Web is what the pods of the node's own tests run: a server, and the commands by which a test
// looks at the world from inside a pod that has neither a shell nor curl.
//
//	web serve      answer on :8080 with VERSION and the pod's name
//	web get URL    print what a server answers
//	web api PATH   print what the API server answers to the pod's own ServiceAccount
//	web cat FILE   print a file
package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

const account = "/var/run/secrets/kubernetes.io/serviceaccount/"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	command, argument := "", ""
	if len(arguments) > 0 {
		command, argument = arguments[0], strings.Join(arguments[1:], " ")
	}
	switch command {
	case "serve":
		return serve()
	case "get":
		return get(http.DefaultTransport, argument, "")
	case "api":
		return api(argument)
	case "cat":
		content, err := os.ReadFile(argument)
		if err != nil {
			return err
		}
		_, err = os.Stdout.Write(content)
		return err
	}
	return fmt.Errorf("unknown command %q", command)
}

// serve answers until SIGTERM. As the first process of a container it would ignore that otherwise.
func serve() error {
	name, err := os.Hostname()
	if err != nil {
		return err
	}
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, os.Getenv("VERSION"), name)
	})
	failed := make(chan error, 1)
	go func() { failed <- http.ListenAndServe(":8080", nil) }()
	fmt.Println("serving version", os.Getenv("VERSION"))
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM)
	select {
	case <-end:
		return nil
	case err := <-failed:
		return err
	}
}

func api(path string) error {
	authority, err := os.ReadFile(account + "ca.crt")
	if err != nil {
		return err
	}
	token, err := os.ReadFile(account + "token")
	if err != nil {
		return err
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}
	return get(transport, "https://kubernetes.default.svc"+path, "Bearer "+string(token))
}

func get(transport http.RoundTripper, url, authorization string) error {
	request, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	client := http.Client{Transport: transport, Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	_, err = io.Copy(os.Stdout, response.Body)
	return err
}
