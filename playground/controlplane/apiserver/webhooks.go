package apiserver

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/patching"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/controlplane/apiserver/authorization"
	"kubewalk/playground/controlplane/apiserver/cel"
	"kubewalk/playground/controlplane/apiserver/defaults"
	"kubewalk/playground/sim"
)

// Dialer is how the server reaches Pods, for webhooks and for the servers behind APIServices. Whoever wires the cluster registers it.
type Dialer interface {
	// Do sends a request to an address ("10.244.1.5:8443"), and waits for the answer for timeout at most. The error has the words
	// of net/http, without the request.
	Do(p *sim.Proc, address string, r Outgoing, timeout time.Duration) (status int, answer []byte, err error)
}

// Outgoing is a request that the server sends to a Pod.
type Outgoing struct {
	Method, URL string
	Header      map[string][]string
	Body        []byte
	// Verify looks at the certificate that the Pod shows (see package x509), before it gets the request.
	Verify func(shown string) error
}

// ConnectPods registers the way to the Pods.
func (s *Server) ConnectPods(d Dialer) { s.dialer = d }

// Outside sends a body to a program that is in no Pod, as a Dialer does to a Pod. known is false for a host that isn't there.
type Outside func(p *sim.Proc, host, path string, body []byte, timeout time.Duration,
	verify func(shown string) error) (status int, answer []byte, known bool, err error)

// ConnectOutside registers the way to such programs.
func (s *Server) ConnectOutside(o Outside) { s.outside = o }

// webhooks is what admission needs of the server: it implements admission.Host.
type webhooks struct{ server *Server }

func (w webhooks) Post(p *sim.Proc, address, url string, body []byte, timeout time.Duration, verify func(string) error) (int, []byte, error) {
	return w.server.dial(p, address, Outgoing{Method: "POST", URL: url, Body: body, Verify: verify}, timeout)
}

func (w webhooks) PostOutside(p *sim.Proc, host, path string, body []byte, timeout time.Duration, verify func(string) error) (int, []byte, error) {
	if outside := w.server.outside; outside != nil {
		if status, answer, known, err := outside(p, host, path, body, timeout, verify); known {
			return status, answer, err
		}
	}
	host, _, _ = strings.Cut(host, ":")
	return 0, nil, fmt.Errorf("dial tcp: lookup %s: no such host", host)
}

func (w webhooks) Kind(gvk api.GroupVersionKind) *api.Kind { return w.server.kinds.For(gvk) }

func (w webhooks) Objects(p *sim.Proc, kind *api.Kind, namespace string) ([]api.Object, error) {
	e := w.server.registries[kind.GroupVersionResource()]
	if e == nil {
		return nil, nil
	}
	objs := w.server.store.At(e.Resource(), namespace, w.server.store.Revision())
	if e.Converter != nil {
		return w.server.converted(p, e, objs)
	}
	if e.Custom != nil {
		objs = slices.Clone(objs)
		for i := range objs {
			objs[i] = e.Served(objs[i])
		}
	}
	return objs, nil
}

func (w webhooks) Authorize(user *authenticationv1.UserInfo, q cel.Question) (bool, string) {
	if w.server.authorizer == nil {
		return true, ""
	}
	if q.ServiceAccount != nil {
		user = authorization.ServiceAccount(q.ServiceAccount[0], q.ServiceAccount[1])
	}
	return w.server.authorizer.Authorize(&authorization.Attributes{User: user, Namespace: q.Namespace,
		Request: policyrule.Request{Verb: q.Verb, Group: q.Group, Resource: q.Resource, Subresource: q.Subresource, Name: q.Name, Path: q.Path}})
}

// Patched is upstream's admission/plugin/webhook/mutating/dispatcher.go, the end of callAttrMutatingHook.
func (w webhooks) Patched(kind *api.Kind, obj api.Object, patch jsonpatch.Patch) (api.Object, error) {
	before, err := api.Encode(obj)
	if err != nil {
		return nil, err
	}
	after, err := patching.SafeApply(patch, before)
	if err != nil {
		return nil, err
	}
	e := w.server.registries[kind.GroupVersionResource()]
	if e == nil {
		return nil, errors.New("no kind " + kind.Kind)
	}
	own := kindOf(obj)
	patched, _, err := decodeAs(e, after, &own) // a field that the kind has not is left out
	if err != nil {
		return nil, err
	}
	settle(patched)
	defaults.Set(patched)
	return e.Stored(patched), nil
}

// byPolicy does what policies want. It is nil in a build without CEL, where there are none.
var byPolicy interface {
	patched(s *Server, kind *api.Kind, obj api.Object, patch []byte) (api.Object, error)
	applied(s *Server, kind *api.Kind, obj api.Object, patch map[string]any) (api.Object, error)
}

func (w webhooks) PatchedByPolicy(kind *api.Kind, obj api.Object, patch []byte) (api.Object, error) {
	return byPolicy.patched(w.server, kind, obj, patch)
}

func (w webhooks) Applied(kind *api.Kind, obj api.Object, patch map[string]any) (api.Object, error) {
	return byPolicy.applied(w.server, kind, obj, patch)
}
