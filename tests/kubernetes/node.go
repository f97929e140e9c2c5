//go:build node

package main

import (
	"context"

	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	"github.com/spf13/cobra"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func init() {
	parts["coredns"] = func() int {
		// A plugin that is linked but not listed here is unknown to the Corefile.
		// The order is that of the chain a query passes through.
		dnsserver.Directives = []string{"bind", "ready", "errors", "cache", "kubernetes"}
		coremain.Run()
		return 0
	}
	parts["kube-proxy"] = command(proxy.NewProxyCommand)
	parts["kube-scheduler"] = command(func() *cobra.Command { return scheduler.NewSchedulerCommand() })
	parts["kubelet"] = command(func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) })
}
