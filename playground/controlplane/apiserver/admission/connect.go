package admission

import (
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/store"
)

// ConnectOptions are what a connection is asked for with: PodExecOptions, PodAttachOptions, PodPortForwardOptions, PodProxyOptions or
// ServiceProxyOptions, as the kind says. They are the object that plugins look at; upstream's have no metadata either.
//
// Upstream: k8s.io/api/core/v1/types.go.
type ConnectOptions struct {
	metav1.TypeMeta
	metav1.ObjectMeta `json:"-"`

	Stdin     bool     `json:"stdin,omitempty"`
	Stdout    bool     `json:"stdout,omitempty"`
	Stderr    bool     `json:"stderr,omitempty"`
	TTY       bool     `json:"tty,omitempty"`
	Container string   `json:"container,omitempty"`
	Command   []string `json:"command,omitempty"`
}

// DeepCopyObject implements api.Object.
func (o *ConnectOptions) DeepCopyObject() api.Object {
	out := *o
	out.Command = slices.Clone(o.Command)
	return &out
}

// Configured tells whether there is any webhook or policy.
func (c *Chain) Configured(st *store.Store) bool {
	return slices.ContainsFunc([]string{"mutatingwebhookconfigurations", "validatingwebhookconfigurations", "mutatingadmissionpolicies",
		"validatingadmissionpolicies"}, func(resource string) bool { return len(st.At(resource, "", st.Revision())) > 0 })
}

// handles tells whether a plugin is asked about an operation: about connections only webhooks and policies are.
// Upstream: the admission.NewHandler of each plugin.
func handles(plugin Plugin, op Operation) bool {
	if op != Connect {
		return true
	}
	switch plugin.Name() {
	case "MutatingAdmissionPolicy", "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook":
		return true
	}
	return false
}
