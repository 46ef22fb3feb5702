package accurate

import (
	"encoding/json"
	"fmt"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/operator/controllerruntime/admission"
	"kubewalk/playground/operator/controllerruntime/context"
	"kubewalk/playground/operator/controllerruntime/webhook"
)

// The paths at which the program answers. Upstream: internal/webhook/v2.
const (
	mutateSubNamespace   = "/mutate-accurate-cybozu-com-v2-subnamespace"
	validateSubNamespace = "/validate-accurate-cybozu-com-v2-subnamespace"
	validateNamespace    = "/validate-v1-namespace"
)

// register has a server answer at them.
func (c *Controller) register(server *webhook.Server) {
	server.Register(mutateSubNamespace, defaultSubNamespace)
	server.Register(validateSubNamespace, c.reviewSubNamespace)
	server.Register(validateNamespace, c.reviewNamespace)
}

var allowed = admission.Response{Allowed: true}

func denied(format string, args ...any) admission.Response {
	return refused(403, metav1.StatusReasonForbidden, fmt.Sprintf(format, args...))
}

func refused(code int32, reason metav1.StatusReason, message string) admission.Response {
	return admission.Response{Status: &metav1.Status{Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message}}
}

func failed(code int32, err error) admission.Response {
	return refused(code, metav1.StatusReasonUnknown, err.Error())
}

// defaultSubNamespace gives a new SubNamespace its finalizer. Upstream: subNamespaceMutator.
func defaultSubNamespace(_ context.Context, r *admission.Request) admission.Response {
	if r.Operation != "CREATE" {
		return allowed
	}
	patch, err := json.Marshal([]any{map[string]any{"op": "add", "path": "/metadata/finalizers", "value": []string{Finalizer}}})
	if err != nil {
		return failed(500, err)
	}
	return admission.Response{Allowed: true, Patch: patch, PatchType: "JSONPatch"}
}

// reviewSubNamespace lets SubNamespaces be made in the tree alone, and be deleted from its leaves. Upstream: subNamespaceValidator.
func (c *Controller) reviewSubNamespace(_ context.Context, r *admission.Request) admission.Response {
	sn := &SubNamespace{}
	text := r.Object
	if r.Operation == "DELETE" {
		text = r.OldObject
	}
	if err := json.Unmarshal(text, sn); err != nil {
		return failed(400, err)
	}
	switch r.Operation {
	case "CREATE":
		ns, err := c.namespaces.Get(sn.Namespace)
		if err != nil {
			return failed(500, err)
		}
		if ns.Labels[LabelType] != NSTypeRoot && ns.Labels[LabelParent] == "" {
			return denied("namespace %s is neither a root nor a sub namespace", ns.Name)
		}
	case "DELETE":
		ns, err := c.namespaces.Get(sn.Name)
		if apierrors.IsNotFound(err) || err == nil && ns.Labels[LabelParent] != sn.Namespace {
			return allowed
		}
		if err != nil {
			return failed(500, err)
		}
		return c.noChildren(LabelParent, ns.Name, "child namespaces exist")
	}
	return allowed
}

// noChildren allows what would leave no namespace without the one above it.
func (c *Controller) noChildren(label, name, message string) admission.Response {
	children, err := c.children(label, name)
	if err != nil {
		return failed(500, err)
	}
	if len(children) > 0 {
		return denied("%s", message)
	}
	return allowed
}

// reviewNamespace keeps the namespaces a tree. Upstream: namespaceValidator.
func (c *Controller) reviewNamespace(_ context.Context, r *admission.Request) admission.Response {
	now, before := &corev1.Namespace{}, &corev1.Namespace{}
	for text, ns := range map[*json.RawMessage]*corev1.Namespace{&r.Object: now, &r.OldObject: before} { // order: each reads its own
		if len(*text) == 0 {
			continue
		}
		if err := json.Unmarshal(*text, ns); err != nil {
			return failed(400, err)
		}
	}
	switch r.Operation {
	case "CREATE":
		return c.created(now)
	case "UPDATE":
		return c.updated(now, before)
	}
	switch {
	case before.Labels[LabelType] == NSTypeTemplate:
		return c.noChildren(LabelTemplate, before.Name, "child namespaces exist")
	case before.Labels[LabelType] == NSTypeRoot, before.Labels[LabelParent] != "":
		return c.noChildren(LabelParent, before.Name, "child namespaces exist")
	}
	return allowed
}

func (c *Controller) created(ns *corev1.Namespace) admission.Response {
	if parent := ns.Labels[LabelParent]; parent != "" {
		_, template := ns.Labels[LabelTemplate]
		_, typed := ns.Labels[LabelType]
		switch {
		case ns.Name == parent:
			return denied("circular reference is not permitted")
		case template:
			return denied("a sub-namespace cannot have a template")
		case typed:
			return denied("a sub-namespace cannot be a root or a template")
		}
		if answer := c.checkParent(parent, NSTypeRoot); !answer.Allowed {
			return answer
		}
	}
	if template := ns.Labels[LabelTemplate]; template != "" {
		if ns.Name == template {
			return denied("circular reference is not permitted")
		}
		return c.checkParent(template, NSTypeTemplate)
	}
	return allowed
}

func (c *Controller) checkParent(name, typ string) admission.Response {
	parent, err := c.namespaces.Get(name)
	switch {
	case apierrors.IsNotFound(err):
		return denied("namespace does not exist: %s", name)
	case err != nil:
		return failed(500, err)
	case parent.Labels[LabelType] == typ, parent.Labels[LabelParent] != "":
		return allowed
	}
	return denied("%s is not a valid %s namespace", name, typ)
}

// above is what a namespace gets its objects from; "" for none.
func above(ns *corev1.Namespace) string {
	if parent := ns.Labels[LabelParent]; parent != "" {
		return parent
	}
	return ns.Labels[LabelTemplate]
}

func (c *Controller) updated(now, before *corev1.Namespace) admission.Response {
	seen := map[string]bool{now.Name: true}
	for name := above(now); name != ""; {
		if seen[name] {
			return denied("circular reference is not permitted")
		}
		seen[name] = true
		ns, err := c.namespaces.Get(name)
		if apierrors.IsNotFound(err) {
			return denied("parent namespace does not exist: %s", name)
		}
		if err != nil {
			return failed(500, err)
		}
		name = above(ns)
	}
	was, is := before.Labels[LabelType], now.Labels[LabelType]
	answer := allowed
	switch {
	case was != is && was == NSTypeRoot, above(now) == "" && before.Labels[LabelParent] != "" && is != NSTypeRoot:
		answer = c.noChildren(LabelParent, now.Name, "there are sub-namespaces under "+now.Name)
	case was != is && was == NSTypeTemplate:
		answer = c.noChildren(LabelTemplate, now.Name, "there are namespaces referencing "+now.Name)
	}
	if !answer.Allowed {
		return answer
	}
	return c.created(now)
}
