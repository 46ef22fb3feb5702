// Package fake is an API server for tests of what stands on a client: it keeps
// objects by their resource version, answers after a while, and can be told to
// fail in the ways in which a real one does. It validates and defaults nothing.
//
// Upstream: k8s.io/client-go/testing ObjectTracker and kubernetes/fake. Unlike
// those it keeps a history, so a watch continues where it is asked to, and ends
// in "too old resource version" when that was compacted.
package fake

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Server is a client.Transport.
type Server struct {
	kernel    *sim.Kernel
	chance    *sim.Rand
	revision  int64
	compacted int64
	history   []change
	objects   map[string]api.Object // by resource and key
	streams   []*stream

	// MinLatency and MaxLatency are how long a message is on its way.
	MinLatency, MaxLatency time.Duration
	// Down refuses all connections.
	Down bool
	// React sees every request first. With handled false it goes on as usual.
	React func(r *client.Request) (answer client.Result, handled bool, err error)
	// Requests are all that arrived: "create pods default/web".
	Requests []string
}

type change struct {
	revision int64
	resource string
	before   api.Object // nil when created
	after    api.Object // nil when deleted; then before has the revision of the deletion
	cause    trace.ID
}

// NewServer returns an empty server whose messages take a millisecond.
func NewServer(k *sim.Kernel) *Server {
	return &Server{kernel: k, chance: k.Rand("fake server"), objects: map[string]api.Object{}, revision: 1,
		MinLatency: time.Millisecond, MaxLatency: time.Millisecond}
}

func (s *Server) travel(p *sim.Proc) { p.Sleep(s.chance.Between(s.MinLatency, s.MaxLatency)) }

func (s *Server) refused() error {
	return fmt.Errorf("dial tcp 10.0.0.1:6443: %w", client.ErrConnectionRefused)
}

// Kinds implements client.Transport.
func (s *Server) Kinds() api.KindSet { return api.Kinds() }

// Do implements client.Transport.
func (s *Server) Do(p *sim.Proc, r *client.Request) (client.Result, error) {
	s.travel(p)
	if s.Down {
		return nil, s.refused()
	}
	answer, err := s.handle(r)
	s.travel(p)
	return answer, err
}

func line(r *client.Request) string {
	resource := r.Resource.Resource
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	name := r.Name
	if name == "" && r.Object != nil {
		name = r.Object.GetName()
	}
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return r.Verb + " " + resource + " " + name
}

func (s *Server) handle(r *client.Request) (client.Result, error) {
	s.Requests = append(s.Requests, line(r))
	if s.React != nil {
		if answer, handled, err := s.React(r); handled {
			return answer, err
		}
	}
	switch r.Verb {
	case client.List:
		return s.list(r)
	case client.Create:
		if r.Subresource == "binding" {
			return s.bind(r)
		}
		return s.create(r)
	}
	old := s.objects[key(r)]
	if old == nil {
		return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
	}
	switch r.Verb {
	case client.Get:
		if r.Subresource == "scale" {
			return scaleOf(old), nil
		}
		return old, nil
	case client.Update:
		return s.update(r, old)
	case client.Patch:
		obj := old.DeepCopyObject()
		if err := json.Unmarshal(r.PatchText(), obj); err != nil { // enough of a merge for a test
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return s.Put(r.Resource.Resource, obj), nil
	case client.Delete:
		s.Remove(r.Resource.Resource, r.Namespace, r.Name)
		return &metav1.Status{Status: metav1.StatusSuccess}, nil
	}
	return nil, apierrors.NewMethodNotSupported(r.Resource.GroupResource(), r.Verb)
}

func (s *Server) create(r *client.Request) (client.Result, error) {
	obj := r.Object.DeepCopyObject()
	obj.SetNamespace(r.Namespace)
	if obj.GetName() == "" {
		obj.SetName(obj.GetGenerateName() + s.chance.Suffix(5))
	}
	if s.objects[id(r.Resource.Resource, obj)] != nil {
		return nil, apierrors.NewAlreadyExists(r.Resource.GroupResource(), obj.GetName())
	}
	return s.Put(r.Resource.Resource, obj), nil
}

func (s *Server) update(r *client.Request, old api.Object) (client.Result, error) {
	version := r.Object.GetResourceVersion()
	if version != "" && version != old.GetResourceVersion() {
		return nil, apierrors.NewConflict(r.Resource.GroupResource(), r.Name, errModified)
	}
	if scale, ok := r.Object.(*autoscalingv1.Scale); ok {
		obj := old.DeepCopyObject()
		replicas := scale.Spec.Replicas
		switch o := obj.(type) {
		case *appsv1.ReplicaSet:
			o.Spec.Replicas = &replicas
		case *appsv1.Deployment:
			o.Spec.Replicas = &replicas
		}
		return scaleOf(s.Put(r.Resource.Resource, obj)), nil
	}
	return s.Put(r.Resource.Resource, r.Object.DeepCopyObject()), nil
}

var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

func scaleOf(obj api.Object) *autoscalingv1.Scale {
	scale := &autoscalingv1.Scale{}
	scale.Name, scale.Namespace, scale.ResourceVersion = obj.GetName(), obj.GetNamespace(), obj.GetResourceVersion()
	switch o := obj.(type) {
	case *appsv1.ReplicaSet:
		scale.Spec.Replicas, scale.Status.Replicas = *o.Spec.Replicas, o.Status.Replicas
	case *appsv1.Deployment:
		scale.Spec.Replicas, scale.Status.Replicas = *o.Spec.Replicas, o.Status.Replicas
	}
	return scale
}

func (s *Server) bind(r *client.Request) (client.Result, error) {
	old, ok := s.objects[key(r)].(*corev1.Pod)
	if !ok {
		return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
	}
	pod := old.DeepCopy()
	pod.Spec.NodeName = r.Object.(*corev1.Binding).Target.Name
	s.Put("pods", pod)
	return &metav1.Status{Status: metav1.StatusSuccess, Code: 201}, nil
}

func key(r *client.Request) string {
	return r.Resource.Resource + "/" + r.Namespace + "/" + r.Name
}

func id(resource string, obj api.Object) string {
	return resource + "/" + obj.GetNamespace() + "/" + obj.GetName()
}

// Put stores an object as it is, under a new resource version, and tells all
// watches. The server keeps obj: it must not be changed afterwards.
func (s *Server) Put(resource string, obj api.Object) api.Object {
	key := id(resource, obj)
	s.revision++
	obj.SetResourceVersion(strconv.FormatInt(s.revision, 10))
	kind := trace.Attrs("revision", s.revision, "type", "MODIFIED")
	before := s.objects[key]
	if before == nil {
		kind = trace.Attrs("revision", s.revision, "type", "ADDED")
	}
	s.objects[key] = obj
	s.commit(change{s.revision, resource, before, obj, 0}, kind, obj)
	return obj
}

// Remove deletes an object at once.
func (s *Server) Remove(resource, namespace, name string) {
	key := resource + "/" + namespace + "/" + name
	before := s.objects[key]
	if before == nil {
		return
	}
	s.revision++
	last := before.DeepCopyObject()
	last.SetResourceVersion(strconv.FormatInt(s.revision, 10))
	delete(s.objects, key)
	s.commit(change{s.revision, resource, last, nil, 0}, trace.Attrs("revision", s.revision, "type", "DELETED"), last)
}

func (s *Server) commit(c change, attrs []trace.Attr, obj api.Object) {
	c.cause = s.kernel.Emit(trace.StoreCommit, trace.Ref{Resource: c.resource, Namespace: obj.GetNamespace(), Name: obj.GetName()}, attrs)
	s.history = append(s.history, c)
	for _, w := range s.streams {
		w.offer(c)
	}
}

// Objects are all objects of a resource, in the order of namespace and name.
func (s *Server) Objects(resource string) []api.Object {
	var keys []string
	for k := range s.objects {
		if len(k) > len(resource) && k[:len(resource)+1] == resource+"/" {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	out := make([]api.Object, len(keys))
	for i, k := range keys {
		out[i] = s.objects[k]
	}
	return out
}

// Compact drops the history.
func (s *Server) Compact() {
	s.compacted = s.revision
	s.history = nil
}

func (s *Server) list(r *client.Request) (client.Result, error) {
	match, err := matcher(r)
	if err != nil {
		return nil, err
	}
	var list api.List = &metav1.ObjectList{} // of a custom kind
	if kind := api.KindForResource(r.Resource); kind != nil {
		list = kind.NewList()
	}
	var items []api.Object
	for _, obj := range s.Objects(r.Resource.Resource) {
		if match(obj) {
			items = append(items, obj)
		}
	}
	list.SetItems(items)
	list.GetListMeta().ResourceVersion = strconv.FormatInt(s.revision, 10)
	return list, nil
}

// matcher tells whether a request's namespace and selectors match an object; nil never matches.
func matcher(r *client.Request) (func(api.Object) bool, error) {
	label, err := labels.Parse(r.List.LabelSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	field, err := fields.ParseSelector(r.List.FieldSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return func(obj api.Object) bool {
		if obj == nil || r.Namespace != "" && obj.GetNamespace() != r.Namespace {
			return false
		}
		set := fields.Set{"metadata.name": obj.GetName(), "metadata.namespace": obj.GetNamespace()}
		if pod, ok := obj.(*corev1.Pod); ok {
			set["spec.nodeName"], set["status.phase"] = pod.Spec.NodeName, string(pod.Status.Phase)
		}
		return label.Matches(labels.Set(obj.GetLabels())) && field.Matches(set)
	}, nil
}
