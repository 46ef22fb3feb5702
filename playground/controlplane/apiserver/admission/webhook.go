package admission

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/x509"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/controlplane/apiserver/serviceresolver"
	"kubewalk/playground/controlplane/apiserver/validation"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// Webhooks are programs in the cluster that are asked whether an object may be stored, and may change it. Each that a request
// matches gets an AdmissionReview by POST; mutating ones are asked one after the other, by the names of their configurations,
// validating ones all at once.
//
// Simplified: of TLS there is the certificate that a server shows, which package x509 verifies. A Service is resolved to one of its ready
// endpoints, as with kube-apiserver --enable-aggregator-routing. Each kind is served in one version, so matchPolicy makes no difference. Of the
// audit event's annotations there are those of the webhooks themselves and those of webhooks that were passed over, in the trace.
// Upstream: apiserver/pkg/admission/plugin/webhook.

// Host is what webhooks need of the server around them.
type Host interface {
	Poster
	// Kind is a kind that is served, nil if it is not.
	Kind(kind api.GroupVersionKind) *api.Kind
	// Objects are those of a kind in a namespace, by name, for policies' parameters.
	Objects(p *sim.Proc, kind *api.Kind, namespace string) ([]api.Object, error)
	// Authorize tells whether somebody may do something, and why, or why not.
	Authorize(user *authenticationv1.UserInfo, question cel.Question) (allowed bool, reason string)
	// Patched is an object of a kind after a JSON patch, decoded and with defaults.
	Patched(kind *api.Kind, obj api.Object, patch jsonpatch.Patch) (api.Object, error)
	// PatchedByPolicy is the same for a policy: strictly decoded, unchanged if a test of the patch fails. An error is one of the patch, or a status.
	PatchedByPolicy(kind *api.Kind, obj api.Object, patch []byte) (api.Object, error)
	// Applied is an object of a kind with what a tree of JSON says of it, merged as server-side apply does, decoded and with defaults.
	Applied(kind *api.Kind, obj api.Object, patch map[string]any) (api.Object, error)
}

// webhook is one of a configuration of either kind. Upstream: webhook/accessors.go, WebhookAccessor.
type webhook struct {
	validation.Webhook
	uid string // for reinvocation
}

// failsOpen tells whether a webhook that can't be asked is passed over.
func (w *webhook) failsOpen() bool {
	return w.FailurePolicy != nil && *w.FailurePolicy == admissionregistrationv1.Ignore
}

// caller is what both plugins are made of.
type caller struct {
	store *store.Store
	rand  *sim.Rand // picks endpoints and the uids of reviews
	host  Host

	evaluator cel.Evaluator // of match conditions; may be nil
}

// mutatingWebhook is upstream's webhook/mutating/dispatcher.go, mutatingDispatcher.
type mutatingWebhook struct{ caller }

// validatingWebhook is upstream's webhook/validating/dispatcher.go, validatingDispatcher.
type validatingWebhook struct{ caller }

func (*mutatingWebhook) Name() string   { return "MutatingAdmissionWebhook" }
func (*validatingWebhook) Name() string { return "ValidatingAdmissionWebhook" }

// hooks are all webhooks of a kind of configuration, in the order of the configurations' names.
func (c *caller) hooks(resource string) (out []webhook) {
	for _, obj := range c.store.At(resource, "", c.store.Revision()) {
		for _, h := range validation.WebhooksOf(obj) {
			out = append(out, webhook{h, obj.GetName() + "/" + h.Name})
		}
	}
	return out
}

// Admit asks the webhooks that a request matches, one after the other; each sees what those before it have changed.
func (m *mutatingWebhook) Admit(p *sim.Proc, a *Attributes) error {
	if a.Operation == Delete {
		return nil // they are asked with the object: see Validate
	}
	return m.dispatch(p, a)
}

// Validate asks the webhooks about a deletion: what goes is known only then. Nothing can be changed.
// Upstream: registry/rest/delete.go, AdmissionToValidateObjectDeleteFunc.
func (m *mutatingWebhook) Validate(p *sim.Proc, a *Attributes) error {
	if a.Operation != Delete {
		return nil
	}
	return m.dispatch(p, a)
}

func (m *mutatingWebhook) dispatch(p *sim.Proc, a *Attributes) error {
	hooks := m.hooks("mutatingwebhookconfigurations")
	if len(hooks) == 0 {
		return nil
	}
	again := &a.reinvocation.webhooks
	again.begin(a)
	for i, h := range hooks {
		ok, err := m.matches(&h, a)
		if err != nil {
			return err
		}
		if !ok || again.skips(a, h.uid) {
			continue
		}
		changed, err := m.ask(p, &h, a, true)
		if changed {
			a.changed(m)
			again.require()
			a.reinvocation.wanted = true
		}
		if h.ReinvocationPolicy != nil && *h.ReinvocationPolicy == admissionregistrationv1.IfNeededReinvocationPolicy {
			again.previous = append(again.previous, h.uid)
		}
		round := 0
		if a.reinvocation.running {
			round = 1
		}
		if err := m.outcome(p, a, &h, fmt.Sprintf("mutation.webhook.admission.k8s.io/round_%d_index_%d", round, i), err); err != nil {
			return err
		}
	}
	again.end(a)
	return nil
}

// Validate asks all webhooks at once; of several refusals the first that came is the answer.
func (v *validatingWebhook) Validate(p *sim.Proc, a *Attributes) error {
	hooks := v.hooks("validatingwebhookconfigurations")
	if len(hooks) == 0 {
		return nil
	}
	var matching []webhook
	for _, h := range hooks {
		ok, err := v.matches(&h, a)
		if err != nil {
			return err
		}
		if ok {
			matching = append(matching, h)
		}
	}
	one := func(p *sim.Proc, i int) error {
		_, err := v.ask(p, &matching[i], a, false)
		return v.outcome(p, a, &matching[i], fmt.Sprintf("validating.webhook.admission.k8s.io/round_0_index_%d", i), err)
	}
	if len(matching) == 1 {
		return one(p, 0)
	}
	var first error
	p.Fork("webhook", len(matching), func(p *sim.Proc, i int) {
		if err := one(p, i); err != nil && first == nil {
			first = err
		}
	})
	return first
}

// callError says that a webhook could not be asked. Upstream: util/webhook/error.go, ErrCallingWebhook.
type callError struct {
	webhook string
	reason  error
}

func (e *callError) Error() string {
	return fmt.Sprintf("failed calling webhook %q: %v", e.webhook, e.reason)
}

// outcome is what an attempt to ask a webhook means for the request. round is the annotation's key if the webhook is passed over, after "failed-open.".
func (c *caller) outcome(p *sim.Proc, a *Attributes, h *webhook, round string, err error) error {
	var call *callError
	if !errors.As(err, &call) {
		return err
	}
	if p.Deadline() != 0 && p.Now() >= p.Deadline() {
		return apierrors.NewTimeoutError("request did not complete within requested timeout", 0)
	}
	if h.failsOpen() {
		p.Logger().Info(fmt.Sprintf("Failed calling webhook, failing open %s: %v", h.Name, err))
		a.annotate("failed-open."+round, h.Name)
		return nil
	}
	p.Logger().Info(fmt.Sprintf("Failed calling webhook, failing closed %s: %v", h.Name, err))
	return apierrors.NewInternalError(err)
}

// ask sends a review to a webhook and applies what it wants changed. Upstream: callAttrMutatingHook and callHook.
func (c *caller) ask(p *sim.Proc, h *webhook, a *Attributes, mutating bool) (changed bool, err error) {
	if a.DryRun && (h.SideEffects == nil || *h.SideEffects != admissionregistrationv1.SideEffectClassNone &&
		*h.SideEffects != admissionregistrationv1.SideEffectClassNoneOnDryRun) {
		return false, apierrors.NewBadRequest(fmt.Sprintf("admission webhook %q does not support dry run", h.Name))
	}
	version := ""
	for _, v := range h.AdmissionReviewVersions {
		if v == "v1" || v == "v1beta1" {
			version = v
			break
		}
	}
	if version == "" {
		return false, &callError{h.Name, errors.New("could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)")}
	}
	if err := x509.CheckBundle(h.ClientConfig.CABundle); err != nil {
		return false, &callError{h.Name, fmt.Errorf("could not get REST client: %w", err)}
	}
	a.Asks(p, h.Name)
	uid := c.rand.UUID()
	body, err := newReview(version, uid, a)
	if err != nil {
		return false, apierrors.NewInternalError(err)
	}
	answer, err := c.post(p, h, body)
	if err != nil {
		return false, &callError{h.Name, fmt.Errorf("failed to call webhook: %w", err)}
	}
	var review Review
	if err := Decode(answer, reviewGroup+version, "AdmissionReview", &review); err != nil {
		return false, &callError{h.Name, fmt.Errorf("failed to call webhook: %w", err)}
	}
	response, err := readReview(version, uid, mutating, &review)
	if err != nil {
		return false, &callError{h.Name, fmt.Errorf("received invalid webhook response: %w", err)}
	}
	for _, key := range slices.Sorted(maps.Keys(response.AuditAnnotations)) {
		a.annotate(h.Name+"/"+key, response.AuditAnnotations[key])
	}
	for _, text := range response.Warnings {
		a.Warn(text)
	}
	if !response.Allowed {
		return false, denied(h.Name, response.Status)
	}
	if !mutating || len(response.Patch) == 0 {
		return false, nil
	}
	patch, err := jsonpatch.DecodePatch(response.Patch)
	if err != nil {
		return false, &callError{h.Name, fmt.Errorf("received undecodable patch in webhook response: %w", err)}
	}
	if len(patch) == 0 {
		return false, nil
	}
	if a.Object == nil {
		return false, apierrors.NewInternalError(fmt.Errorf("admission webhook %q attempted to modify the object, which is not supported for this operation", h.Name))
	}
	if kind := response.PatchType; kind != nil && *kind != "JSONPatch" {
		return false, &callError{h.Name, fmt.Errorf("unsupported patch type %q", *kind)}
	}
	patched, err := c.host.Patched(a.Kind, a.Object, patch)
	if err != nil {
		return false, apierrors.NewInternalError(err)
	}
	changed = !api.SemanticDeepEqual(a.Object, patched)
	a.Object = patched
	return changed, nil
}

// denied is a webhook's refusal. Upstream: webhook/errors/statuserror.go, ToStatusErr.
func denied(name string, status *metav1.Status) error {
	if status == nil {
		status = &metav1.Status{}
	}
	status.Code = max(status.Code, 400)
	if status.Status == "" || status.Status == metav1.StatusSuccess {
		status.Status = metav1.StatusFailure
	}
	by := fmt.Sprintf("admission webhook %q denied the request", name)
	switch {
	case status.Message != "":
		status.Message = by + ": " + status.Message
	case status.Reason != "":
		status.Message = by + ": " + string(status.Reason)
	default:
		status.Message = by + " without explanation"
	}
	return &apierrors.StatusError{ErrStatus: *status}
}

// defaultTimeout is how long a webhook may take that doesn't say.
const defaultTimeout = 10 * time.Second

// post sends a review to where a webhook's configuration leads.
func (c *caller) post(p *sim.Proc, h *webhook, body []byte) ([]byte, error) {
	timeout := defaultTimeout
	if h.TimeoutSeconds != nil {
		timeout = time.Duration(*h.TimeoutSeconds) * time.Second
	}
	if left := p.Deadline() - p.Now(); p.Deadline() != 0 {
		timeout = min(timeout, max(left, 0))
	}
	return Post(p, c.store, c.rand, c.host, h.ClientConfig, body, timeout, "context deadline exceeded")
}

// Poster sends bodies to webhooks.
type Poster interface {
	// Post sends a body to an address ("10.244.1.5:8443") and waits for the answer, for timeout at most. verify looks at the
	// certificate that the server shows before that. The error has the words of net/http, without the request.
	Post(p *sim.Proc, address, url string, body []byte, timeout time.Duration, verify func(shown string) error) (status int, answer []byte, err error)
	// PostOutside sends a body to a host that is in no Pod, as an URL names it ("website-operator:9443").
	PostOutside(p *sim.Proc, host, path string, body []byte, timeout time.Duration, verify func(shown string) error) (status int, answer []byte, err error)
}

// Post sends a body to a webhook. late are the words if no answer comes in time.
// Upstream: util/webhook/client.go, ClientManager.HookClient; client-go/rest/request.go, for the words.
func Post(p *sim.Proc, st *store.Store, rand *sim.Rand, host Poster, config *admissionregistrationv1.WebhookClientConfig, body []byte,
	timeout time.Duration, late string) ([]byte, error) {
	begun := p.Now()
	seconds := (timeout + time.Second - 1) / time.Second
	url, name := "", ""
	verify := func(shown string) error { return x509.Verify(shown, config.CABundle, name, p.Time()) }
	status, answer, err := 0, []byte(nil), error(nil)
	if service := config.Service; service != nil {
		port := int32(443)
		if service.Port != nil {
			port = *service.Port
		}
		path := ""
		if service.Path != nil {
			path = *service.Path
		}
		name = service.Name + "." + service.Namespace + ".svc"
		url = fmt.Sprintf("https://%s:%d/%s?timeout=%ds", name, port, strings.TrimPrefix(path, "/"), seconds)
		address := ""
		if address, err = serviceresolver.ResolveEndpoint(st, rand, service.Namespace, service.Name, port); err == nil {
			status, answer, err = host.Post(p, address, url, body, timeout, verify)
		}
	} else {
		url = fmt.Sprintf("%s?timeout=%ds", *config.URL, seconds)
		at, path, _ := strings.Cut(strings.TrimPrefix(*config.URL, "https://"), "/")
		name, _, _ = strings.Cut(at, ":")
		status, answer, err = host.PostOutside(p, at, "/"+path, body, timeout, verify)
	}
	switch {
	case err != nil && p.Now()-begun >= timeout:
		return nil, fmt.Errorf("Post %q: %s", url, late)
	case err != nil:
		return nil, fmt.Errorf("Post %q: %w", url, err)
	}
	return answer, statusError(status, answer)
}
