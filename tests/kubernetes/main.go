// Kubernetes is a real cluster in one binary, for Proxar's tests and its demo.
//
// Those need the true API server: its admission, CEL, server-side apply, RBAC and
// garbage collection are what Proxar relies on, and no fake has them. Installing it
// usually means root, containers and a download host that a firewall may refuse. The
// sources are ordinary Go modules, so anyone with Go can build it instead. One program
// with every part links what they share once: a quarter of the size and of the build.
//
// The first argument names the part and the rest is that part's own command line:
//
//	kubernetes kube-apiserver --etcd-servers http://127.0.0.1:2379
//
// The control plane and kubectl are always there. What only a node needs (node.go) is
// compiled in by the build tag "node", so that nobody waits for it who runs no pods.
package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	kubectl "k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

// A part runs with os.Args as if it were a program of its own, and returns its exit code.
type part func() int

var parts = map[string]part{
	"etcd": func() int {
		etcdmain.Main(os.Args)
		return 0
	},
	"kube-apiserver":          command(apiserver.NewAPIServerCommand),
	"kube-controller-manager": command(controllermanager.NewControllerManagerCommand),
	"kubectl": func() int {
		// Unlike the servers, kubectl words its errors itself and chooses their exit codes.
		if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
			util.CheckErr(err)
		}
		return 0
	},
}

// command makes a part of a cobra command. It is built only when it is run, because
// building one registers its flags and features for the whole process.
func command(build func() *cobra.Command) part {
	return func() int { return cli.Run(build()) }
}

func main() {
	if len(os.Args) < 2 || parts[os.Args[1]] == nil {
		names := slices.Sorted(maps.Keys(parts))
		fmt.Fprintf(os.Stderr, "usage: kubernetes PART [ARGUMENT...]\nparts: %s\n", strings.Join(names, ", "))
		os.Exit(2)
	}
	os.Args = os.Args[1:]
	os.Exit(parts[os.Args[0]]())
}
