//go:build js && !cel

package cluster

import (
	"errors"

	"kubewalk/playground/controlplane/apiserver/authorization"
	"kubewalk/playground/controlplane/controller/certificates"
	"kubewalk/playground/node/kubelet"
	"kubewalk/playground/node/kubelet/cri"
)

// installation is in the larger build alone.
type installation struct{}

func (c Config) validateKubeadm() error {
	if c.Kubeadm {
		return errors.New("this build of the control plane has no kubeadm")
	}
	return nil
}

func (Config) kubeadms() []string                       { return nil }
func (*Cluster) kubeadmUser(string) *authorization.User { return nil }
func (c Config) kubeadmSigner() certificates.X509       { return c.X509 }
func (*Cluster) inPods(*part) bool                      { return false }
func (*Cluster) kubeadm()                               {}
func (*Cluster) kubeadmKubelet(*box, *kubelet.Options)  {}
func (*Cluster) hostStatic(*cri.Runtime) bool           { return false }
