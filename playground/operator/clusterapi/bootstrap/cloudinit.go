package bootstrap

import (
	"fmt"
	"strings"

	"kubewalk/playground/operator/clusterapi/clusterv1"
	"kubewalk/playground/operator/clusterapi/kit"
)

// userData is what a machine reads when it boots first: files that it writes, and commands that it runs. Upstream: bootstrap/kubeadm/pkg/cloudinit.
type userData struct{ strings.Builder }

func newUserData() *userData {
	d := &userData{}
	d.line(0, "## template: jinja")
	d.line(0, "#cloud-config")
	d.line(0, "write_files:")
	return d
}

func (d *userData) line(indent int, format string, args ...any) {
	d.WriteString(strings.Repeat(" ", indent))
	fmt.Fprintf(d, format+"\n", args...)
}

// file begins a file: what follows is in it, six columns in.
func (d *userData) file(path, permissions string) {
	d.line(0, "-   path: %s", path)
	d.line(4, "owner: root:root")
	d.line(4, "permissions: '%s'", permissions)
	d.line(4, "content: |")
}

func (d *userData) kubeletExtraArgs(args []Arg) {
	if len(args) > 0 {
		d.line(8, "kubeletExtraArgs:")
		for _, arg := range args {
			d.line(8, "- name: %s", arg.Name)
			d.line(10, "value: '%s'", arg.Value)
		}
	}
}

// run is the command that runs last, once everything is written.
func (d *userData) run(command string) string {
	d.line(0, "runcmd:")
	d.line(2, "- %s", command)
	return d.String()
}

// cloudInit is for a machine that joins. Upstream: cloudinit/node.go, kubeadm's JoinConfiguration v1beta4.
func cloudInit(config *KubeadmConfig) string {
	join, d := config.Spec.JoinConfiguration, newUserData()
	d.file("/run/kubeadm/kubeadm-join-config.yaml", "0640")
	d.line(6, "---")
	d.line(6, "apiVersion: kubeadm.k8s.io/v1beta4")
	d.line(6, "discovery:")
	d.line(8, "bootstrapToken:")
	d.line(10, "apiServerEndpoint: %s", join.Discovery.BootstrapToken.APIServerEndpoint)
	if hashes := join.Discovery.BootstrapToken.CACertHashes; len(hashes) > 0 {
		d.line(10, "caCertHashes:")
		for _, hash := range hashes {
			d.line(10, "- %s", hash)
		}
	}
	d.line(10, "token: %s", join.Discovery.BootstrapToken.Token)
	d.line(6, "kind: JoinConfiguration")
	d.line(6, "nodeRegistration:")
	d.kubeletExtraArgs(join.NodeRegistration.KubeletExtraArgs)
	d.line(8, "taints:")
	d.line(8, "- effect: NoSchedule")
	d.line(10, "key: %s", clusterv1.NodeUninitializedTaint)
	return d.run("kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml  && echo success > /run/cluster-api/bootstrap-success.complete")
}

// cloudInitOfFirst is for the machine that becomes the control plane. Upstream: cloudinit/controlplane_init.go.
func cloudInitOfFirst(cluster *clusterv1.Cluster, config *KubeadmConfig, certificates []*kit.Certificate) string {
	d := newUserData()
	content := func(text string) {
		for line := range strings.Lines(text) {
			d.line(6, "%s", strings.TrimSuffix(line, "\n"))
		}
	}
	for _, c := range certificates {
		d.file(c.CertFile, "0640")
		content(c.Cert)
		d.file(c.KeyFile, "0600")
		content(c.Key)
	}
	d.file("/run/kubeadm/kubeadm.yaml", "0640")
	d.line(6, "---")
	d.line(6, "apiVersion: kubeadm.k8s.io/v1beta4")
	d.line(6, "clusterName: %s", cluster.Name)
	d.line(6, "controlPlaneEndpoint: %s", config.Spec.ClusterConfiguration.ControlPlaneEndpoint)
	d.line(6, "kind: ClusterConfiguration")
	d.line(6, "---")
	d.line(6, "apiVersion: kubeadm.k8s.io/v1beta4")
	d.line(6, "kind: InitConfiguration")
	if config.Spec.InitConfiguration != nil {
		d.line(6, "nodeRegistration:")
		d.kubeletExtraArgs(config.Spec.InitConfiguration.NodeRegistration.KubeletExtraArgs)
	}
	return d.run("kubeadm init --config /run/kubeadm/kubeadm.yaml  && echo success > /run/cluster-api/bootstrap-success.complete")
}
