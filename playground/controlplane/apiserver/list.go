package apiserver

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/apiserver/registry"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// listHandler answers with the objects that match, in the order of their keys, all of one revision.
// Upstream: endpoints/handlers/get.go, ListResource; storage/cacher/cacher.go, Cacher.GetList.
func (s *Server) listHandler(p *sim.Proc, c *call, e *registry.Store) (client.Result, error) {
	r := c.Request
	if r.Subresource != "" {
		return nil, apierrors.NewMethodNotSupported(e.Kind.GroupResource(), r.Verb)
	}
	if err := validateListOptions(&r.List, false); err != nil {
		return nil, err
	}
	f, err := newFilter(r, e)
	if err != nil {
		return nil, err
	}
	from, err := decodeContinue(r.List.Continue)
	if err != nil {
		return nil, err
	}
	objects, revision, err := s.read(p, c, e, from)
	if err != nil {
		return nil, err
	}
	if e.Converter != nil {
		if objects, err = s.converted(p, e, objects); err != nil {
			return nil, err
		}
	}
	list := e.Kind.NewList()
	if r.Shared {
		list = &metav1.ObjectList{}
		kind := e.Kind.GroupVersionKind
		kind.Kind += "List"
		list.GetObjectKind().SetGroupVersionKind(kind)
	} else {
		api.SetListKind(list)
	}
	list.GetListMeta().SetResourceVersion(strconv.FormatInt(revision, 10))
	limit := r.List.Limit
	if r.List.ResourceVersion == "0" {
		limit = 0 // the watch cache answers, and knows no pages: cacher/delegator.go, shouldDelegateList
	}
	if f.takesAll() && limit <= 0 && from == nil && !e.Converts() && !r.ManagedFields {
		list.SetItems(objects)
		return list, nil
	}
	var items []api.Object
	for i, obj := range objects {
		if from != nil && !after(obj, from) || !f.matches(obj) {
			continue
		}
		if limit > 0 && int64(len(items)) == limit {
			last := items[len(items)-1]
			list.GetListMeta().SetContinue(encodeContinue(&continueToken{"meta.k8s.io/v1", revision, last.GetNamespace(), last.GetName()}))
			if r.List.LabelSelector == "" && r.List.FieldSelector == "" {
				left := int64(len(objects) - i)
				list.GetListMeta().RemainingItemCount = &left
			}
			break
		}
		if r.ManagedFields {
			obj = s.withManagedFields(e, obj)
		}
		if len(items) == cap(items) { // append would grow a long list by a quarter, and copy it four times as often
			items = slices.Grow(items, max(8, len(items)))
		}
		items = append(items, e.Served(obj))
	}
	list.SetItems(items)
	return list, nil
}

// read returns all objects in the request's namespace: of now, of the watch cache, or of a revision.
func (s *Server) read(p *sim.Proc, c *call, e *registry.Store, from *continueToken) ([]api.Object, int64, error) {
	r := c.Request
	resource := e.Resource()
	if from != nil {
		if v := r.List.ResourceVersion; v != "" && v != "0" {
			return nil, 0, apierrors.NewBadRequest("specifying resource version is not allowed when using continue")
		}
		at := max(from.Revision, 0) // 0 is now: the client has agreed to an inconsistent list
		objects, revision, err := s.store.List(p, resource, r.Namespace, at)
		if err == store.ErrCompacted {
			err = expiredContinue(from)
		}
		return objects, revision, err
	}
	revision, err := parseResourceVersion(r.List.ResourceVersion)
	if err != nil {
		return nil, 0, err
	}
	switch {
	case r.List.ResourceVersion == "":
		return s.store.List(p, resource, r.Namespace, 0)
	case r.List.ResourceVersionMatch == metav1.ResourceVersionMatchExact:
		objects, revision, err := s.store.List(p, resource, r.Namespace, revision)
		if err == store.ErrCompacted {
			err = apierrors.NewResourceExpired("The resourceVersion for the provided list is too old.")
		}
		return objects, revision, err
	}
	if err := s.waitUntilFresh(p, revision); err != nil {
		return nil, 0, err
	}
	return s.caches[resource].List(r.Namespace), s.revision, nil
}

// expiredContinue is the answer to a page whose revision was compacted: with it comes a token for those who would rather
// have the rest of another moment than begin again. Upstream: storage/etcd3/errors.go, handleCompactedErrorForPaging.
func expiredContinue(from *continueToken) error {
	err := apierrors.NewResourceExpired("The provided continue parameter is too old to display a consistent list result. You can start a new list without " +
		"the continue parameter, or use the continue token in this response to retrieve the remainder of " +
		"the results. Continuing with the provided token results in an inconsistent list - objects that were " +
		"created, modified, or deleted between the time the first chunk was returned and now may show up in the list.")
	now := *from
	now.Revision = inconsistent
	err.ErrStatus.ListMeta.Continue = encodeContinue(&now)
	return err
}

// inconsistent is the revision in tokens of lists that are no longer of one moment. Upstream: storage/continue.go.
const inconsistent = -1

// waitUntilFresh waits until the watch cache has seen a revision.
// Upstream: storage/cacher/watch_cache.go, watchCache.waitUntilFreshAndBlock.
func (s *Server) waitUntilFresh(p *sim.Proc, revision int64) error {
	const blockTimeout = 3 * time.Second
	for until := p.Now() + blockTimeout; s.revision < revision; p.Sleep(time.Millisecond) {
		if p.Now() < until {
			continue
		}
		err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %v, current: %v", revision, s.revision), 1)
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
		return err
	}
	return nil
}

// continueToken says where the next page of a list begins. Upstream: storage/continue.go, continueToken.
type continueToken struct {
	APIVersion string `json:"v"`
	Revision   int64  `json:"rv"`
	Namespace  string `json:"ns,omitempty"`
	Name       string `json:"start"`
}

func encodeContinue(t *continueToken) string {
	b, err := json.Marshal(t)
	if err != nil {
		panic(err) // strings and numbers
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func decodeContinue(text string) (*continueToken, error) {
	if text == "" {
		return nil, nil
	}
	refuse := func(err error) error {
		return apierrors.NewBadRequest(fmt.Sprintf("continue key is not valid: %v", err))
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, refuse(err)
	}
	t := &continueToken{}
	if err := json.Unmarshal(b, t); err != nil {
		return nil, refuse(err)
	}
	if t.APIVersion != "meta.k8s.io/v1" || t.Revision <= 0 && t.Revision != inconsistent || t.Name == "" {
		return nil, refuse(fmt.Errorf("incorrect encoded start resourceVersion (version meta.k8s.io/v1)"))
	}
	return t, nil
}

// after says that an object comes after the last one of the page before.
func after(obj api.Object, t *continueToken) bool {
	if obj.GetNamespace() != t.Namespace {
		return obj.GetNamespace() > t.Namespace
	}
	return obj.GetName() > t.Name
}
