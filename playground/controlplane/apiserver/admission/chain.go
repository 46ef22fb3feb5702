// Package admission is what may change or refuse a request after it was decoded and before it is validated and stored.
//
// The plugins are those that every cluster runs and that a reader meets, one file each, in upstream's order:
// NamespaceLifecycle, LimitRanger, ServiceAccount, NodeRestriction, TaintNodesByCondition, PodSecurity, Priority, DefaultTolerationSeconds,
// DefaultStorageClass, StorageObjectInUseProtection, PersistentVolumeClaimResize, RuntimeClass, DefaultIngressClass,
// MutatingAdmissionPolicy, MutatingAdmissionWebhook, ValidatingAdmissionPolicy, ValidatingAdmissionWebhook, ResourceQuota.
// Absent: PodTopologyLabels.
//
// Plugins read what they need from the store as it is, in no time: upstream's read from informers, which are hardly ever
// late. Only webhooks take time: see webhook.go.
// Upstream: apiserver/pkg/admission and plugin/pkg/admission.
package admission

import (
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// Operation is what a request does to its object.
type Operation string

// Upstream: apiserver/pkg/admission/interfaces.go.
const (
	Create Operation = "CREATE"
	Update Operation = "UPDATE"
	Delete Operation = "DELETE"
	// Connect is exec, attach, port-forward and proxy. The object are their options: see ConnectOptions.
	Connect Operation = "CONNECT"
)

// Attributes are what a plugin knows of a request.
type Attributes struct {
	Kind        *api.Kind
	Namespace   string
	Name        string
	Subresource string
	Operation   Operation
	User        string
	UserInfo    *authenticationv1.UserInfo // nil if nobody knows more than User
	DryRun      bool
	Object      api.Object // may be changed and replaced by Admit; nil for Delete
	OldObject   api.Object // nil for Create
	Report      *Report    // nil if nobody asks
	Warn        func(text string)
	Asks        func(p *sim.Proc, webhook string) // told before a webhook is asked

	reinvocation reinvocation
}

// reinvocation is what makes plugins run a second time: a webhook's or a policy's change may be of their concern.
// Upstream: apiserver/pkg/admission/reinvocation.go.
type reinvocation struct {
	wanted             bool // a webhook or a policy has changed the object
	running            bool // this is the second time
	webhooks, policies reinvocable
}

// reinvocable are the webhooks that may be asked again, or the policies that may run again.
// Upstream: plugin/webhook/mutating/reinvocationcontext.go and plugin/policy/mutating/reinvocationcontext.go.
type reinvocable struct {
	previous []string   // those that were asked and may be asked again
	required []string   // those of them that have to be
	last     api.Object // as they left it
}

// require has all that were asked so far be asked again.
func (r *reinvocable) require() {
	r.required = append(r.required, r.previous...)
	r.previous = nil
}

// begin is called before the first is asked: what a plugin of the server's own has changed since concerns all.
func (r *reinvocable) begin(a *Attributes) {
	if a.reinvocation.running && !api.SemanticDeepEqual(r.last, a.Object) {
		r.require()
	}
}

// skips tells whether one is not asked the second time.
func (r *reinvocable) skips(a *Attributes, key string) bool {
	return a.reinvocation.running && !slices.Contains(r.required, key)
}

// end is called after the last was asked.
func (r *reinvocable) end(a *Attributes) {
	if a.Object != nil {
		r.last = a.Object.DeepCopyObject()
	}
}

// Report is what the plugins did with one request.
type Report struct {
	Changed []string // those that changed the object, in order
	Refused string   // the one that refused it
	Audit   []string // the annotations of its audit event, each "key=value", in the order in which they came
}

// annotate adds an annotation to the request's audit event; the first value of a key stays.
// Upstream: apiserver/pkg/admission/attributes.go, AddAnnotation, and audit/context.go, addAuditAnnotationLocked.
func (a *Attributes) annotate(key, value string) {
	known := func(have string) bool { return strings.HasPrefix(have, key+"=") }
	if a.Report != nil && !slices.ContainsFunc(a.Report.Audit, known) {
		a.Report.Audit = append(a.Report.Audit, key+"="+value)
	}
}

// changed notes that a plugin has changed the object.
func (a *Attributes) changed(by Plugin) {
	if a.Report != nil && !slices.Contains(a.Report.Changed, by.Name()) {
		a.Report.Changed = append(a.Report.Changed, by.Name())
	}
}

func (a *Attributes) refused(by Plugin, err error) error {
	if err != nil && a.Report != nil {
		a.Report.Refused = by.Name()
	}
	return err
}

// forbidden is a plugin's refusal. Upstream: apiserver/pkg/admission/errors.go, NewForbidden and extractResourceName.
func (a *Attributes) forbidden(err error) *apierrors.StatusError {
	name := a.Name
	if name == "" {
		name = "Unknown"
		if a.Object != nil && a.Object.GetName() != "" {
			name = a.Object.GetName()
		} else if a.Object != nil && a.Object.GetGenerateName() != "" {
			name = a.Object.GetGenerateName()
		}
	}
	return apierrors.NewForbidden(a.Kind.GroupResource(), name, err)
}

// creating returns the Pod that a request creates, nil for any other request.
func (a *Attributes) creating() *corev1.Pod {
	if a.Operation != Create || a.Subresource != "" {
		return nil
	}
	pod, _ := a.Object.(*corev1.Pod)
	return pod
}

// Plugin is one part of admission.
type Plugin interface{ Name() string }

// MutationInterface is implemented by plugins that change objects, or refuse requests early.
// Upstream: apiserver/pkg/admission/interfaces.go.
type MutationInterface interface {
	Admit(p *sim.Proc, a *Attributes) error
}

// ValidationInterface is implemented by plugins that look at the object as it is going to be stored.
type ValidationInterface interface {
	Validate(p *sim.Proc, a *Attributes) error
}

// Options says which plugins run.
type Options struct {
	// DisablePlugins are not run. Of ServiceAccount the name of the account is left: see serviceAccountName.
	// Upstream: kube-apiserver --disable-admission-plugins.
	DisablePlugins []string
	// Host reaches webhooks. It is needed where there are configurations of them.
	Host Host
	// Evaluator is what policies and conditions of webhooks need; without it, there are no policies.
	Evaluator cel.Evaluator
}

// Chain asks plugins one after the other. Upstream: apiserver/pkg/admission/chain.go, chainAdmissionHandler.
type Chain struct{ plugins []Plugin }

// newPolicies makes the plugins of policies. It is nil in a build without CEL, where no server has an evaluator.
var newPolicies func(st *store.Store, opts Options) (mutating, validating Plugin)

// NewChain makes the chain of a server, in upstream's order (pkg/kubeapiserver/options/plugins.go, AllOrderedPlugins).
func NewChain(k *sim.Kernel, st *store.Store, opts Options) *Chain {
	all := []Plugin{
		&namespaceLifecycle{st},
		&limitRanger{st},
		&serviceAccount{st, k.Rand("apiserver/admission")},
		&nodeRestriction{st},
		taintNodesByCondition{},
		&podSecurity{st},
		&priority{st},
		defaultTolerationSeconds{},
		&defaultStorageClass{st},
		storageObjectInUseProtection{},
		&claimResize{st},
		runtimeClass{st},
		&defaultIngressClass{st},
		nil, // see below
		&mutatingWebhook{caller{st, k.Rand("apiserver/webhooks/mutating"), opts.Host, opts.Evaluator}},
		nil,
		&validatingWebhook{caller{st, k.Rand("apiserver/webhooks/validating"), opts.Host, opts.Evaluator}},
		&resourceQuota{store: st},
	}
	if n := len(all); opts.Evaluator != nil {
		all[n-5], all[n-3] = newPolicies(st, opts)
	}
	c := &Chain{}
	for _, plugin := range all {
		if plugin == nil {
			continue
		}
		disabled := slices.Contains(opts.DisablePlugins, plugin.Name())
		if _, ok := plugin.(*serviceAccount); ok && disabled {
			plugin, disabled = serviceAccountName{}, false
		}
		if !disabled {
			c.plugins = append(c.plugins, plugin)
		}
	}
	return c
}

// Plugins are the names of those that run, in order.
func (c *Chain) Plugins() []string {
	var names []string
	for _, plugin := range c.plugins {
		names = append(names, plugin.Name())
	}
	return names
}

// Admit lets each plugin change the object; the first that refuses ends it. If a webhook or a policy has changed it, all plugins look at
// it once more, and the webhooks and policies that want to. Upstream: apiserver/pkg/admission/reinvocation.go, reinvoker.
func (c *Chain) Admit(p *sim.Proc, a *Attributes) error {
	if err := c.admit(p, a); err != nil || !a.reinvocation.wanted {
		return err
	}
	a.reinvocation.running = true
	return c.admit(p, a)
}

func (c *Chain) admit(p *sim.Proc, a *Attributes) error {
	for _, plugin := range c.plugins {
		if m, ok := plugin.(MutationInterface); ok && handles(plugin, a.Operation) {
			if err := m.Admit(p, a); err != nil {
				return a.refused(plugin, err)
			}
		}
	}
	return nil
}

// Validate asks each plugin for its consent.
func (c *Chain) Validate(p *sim.Proc, a *Attributes) error {
	for _, plugin := range c.plugins {
		if v, ok := plugin.(ValidationInterface); ok && handles(plugin, a.Operation) {
			if err := v.Validate(p, a); err != nil {
				return a.refused(plugin, err)
			}
		}
	}
	return nil
}
