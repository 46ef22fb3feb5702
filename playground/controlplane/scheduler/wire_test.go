package scheduler_test

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/eventsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// wire stands between the scheduler and the objects, and is worse than any real
// API server: it answers after a time that chance picks, delivers watch events
// late, loses requests and loses answers. It knows of writing no more than the
// scheduler does: bindings, conditions and Events.
type wire struct {
	kernel  *sim.Kernel
	chance  *sim.Rand
	faults  int // of 100 requests so many are lost, and as many answers
	delay   time.Duration
	refuse  int // so many bindings are refused
	version int64
	objects map[string]api.Object // resource/namespace/name
	watches []*stream

	bindings map[string][]string // Pod's UID → nodes that it was bound to
	writes   []string            // "pods/status big", in order
	events   []string            // "Normal Scheduled …", in order
}

func newWire(k *sim.Kernel, delay time.Duration, faults int) *wire {
	return &wire{kernel: k, chance: k.Rand("wire"), faults: faults, delay: delay,
		objects: map[string]api.Object{}, bindings: map[string][]string{}}
}

func id(resource string, o api.Object) string {
	return resource + "/" + o.GetNamespace() + "/" + o.GetName()
}

// put stores an object, whoever wrote it, and tells the watches.
func (w *wire) put(resource string, o api.Object) {
	w.version++
	o.SetResourceVersion(strconv.FormatInt(w.version, 10))
	old := w.objects[id(resource, o)]
	w.objects[id(resource, o)] = o
	kind := client.Added
	if old != nil {
		kind = client.Modified
	}
	w.tell(resource, kind, o)
}

func (w *wire) remove(resource, namespace, name string) {
	key := resource + "/" + namespace + "/" + name
	o := w.objects[key]
	if o == nil {
		return
	}
	delete(w.objects, key)
	w.version++
	last := o.DeepCopyObject()
	last.SetResourceVersion(strconv.FormatInt(w.version, 10))
	w.tell(resource, client.Deleted, last)
}

func (w *wire) tell(resource string, kind client.EventType, o api.Object) {
	for _, s := range w.watches {
		if s.resource != resource {
			continue
		}
		// A stream is in order: nothing overtakes.
		s.busyUntil = max(s.busyUntil, w.kernel.Elapsed()+w.chance.Between(0, w.delay))
		cause := w.kernel.Cause()
		w.kernel.After(s.busyUntil-w.kernel.Elapsed(), func() {
			s.pending = append(s.pending, client.Event{Type: kind, Object: o})
			s.causes = append(s.causes, cause)
			s.proc.Wake()
		})
	}
}

func (w *wire) pod(name string) *corev1.Pod {
	p, _ := w.objects["pods/default/"+name].(*corev1.Pod)
	return p
}

// Do implements client.Transport.
func (w *wire) Do(p *sim.Proc, r *client.Request) (client.Result, error) {
	p.Sleep(w.chance.Between(0, w.delay))
	if r.Verb != client.List && w.chance.IntN(100) < w.faults {
		return nil, fmt.Errorf("dial tcp: %w", client.ErrConnectionRefused)
	}
	result, err := w.serve(p, r)
	p.Sleep(w.chance.Between(0, w.delay))
	if r.Verb != client.List && w.chance.IntN(100) < w.faults {
		return nil, client.ErrConnectionLost
	}
	return result, err
}

func (w *wire) serve(p *sim.Proc, r *client.Request) (client.Result, error) {
	resource := r.Resource.Resource
	switch {
	case r.Verb == client.List:
		return w.list(resource), nil
	case resource == "events" && r.Verb == client.Create:
		e := r.Object.(*eventsv1.Event)
		w.events = append(w.events, e.Type+" "+e.Reason+" "+e.Action+" "+e.Regarding.Name+": "+e.Note)
		return e, nil
	case resource == "events":
		return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
	case resource == "pods" && r.Subresource == "binding":
		return w.bind(r)
	case resource == "pods" && r.Verb == client.Patch && r.Subresource == "status":
		pod := w.pod(r.Name)
		if pod == nil {
			return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
		}
		w.writes = append(w.writes, "pods/status "+r.Name)
		pod = pod.DeepCopy()
		if err := mergeConditions(pod, r.Patch); err != nil {
			panic(err)
		}
		w.put("pods", pod)
		return pod, nil
	}
	panic(fmt.Sprintf("the scheduler sent %s %s/%s", r.Verb, resource, r.Subresource))
}

func (w *wire) bind(r *client.Request) (client.Result, error) {
	b := r.Object.(*corev1.Binding)
	pod := w.pod(r.Name)
	if w.refuse > 0 {
		w.refuse--
		return nil, apierrors.NewInternalError(fmt.Errorf("etcdserver: request timed out"))
	}
	switch {
	case pod == nil:
		return nil, apierrors.NewNotFound(r.Resource.GroupResource(), r.Name)
	case pod.UID != b.UID:
		return nil, apierrors.NewConflict(r.Resource.GroupResource(), r.Name, fmt.Errorf("the UID in the precondition (%s) does not match", b.UID))
	case pod.DeletionTimestamp != nil:
		return nil, apierrors.NewConflict(r.Resource.GroupResource(), r.Name, fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", r.Name))
	case pod.Spec.NodeName != "":
		return nil, apierrors.NewConflict(r.Resource.GroupResource(), r.Name, fmt.Errorf("pod %s is already assigned to node %q", r.Name, pod.Spec.NodeName))
	}
	w.writes = append(w.writes, "pods/binding "+r.Name)
	w.bindings[string(pod.UID)] = append(w.bindings[string(pod.UID)], b.Target.Name)
	pod = pod.DeepCopy()
	pod.Spec.NodeName = b.Target.Name
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
	w.put("pods", pod)
	return &metav1.Status{Status: metav1.StatusSuccess}, nil
}

// mergeConditions is as much of a strategic merge patch as is sent here.
func mergeConditions(pod *corev1.Pod, patch []byte) error {
	var body struct {
		Status struct{ Conditions []json.RawMessage }
	}
	if err := json.Unmarshal(patch, &body); err != nil {
		return err
	}
	for _, raw := range body.Status.Conditions {
		var named struct{ Type corev1.PodConditionType }
		if err := json.Unmarshal(raw, &named); err != nil {
			return err
		}
		i := 0
		for i < len(pod.Status.Conditions) && pod.Status.Conditions[i].Type != named.Type {
			i++
		}
		if i == len(pod.Status.Conditions) {
			pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{})
		}
		if err := json.Unmarshal(raw, &pod.Status.Conditions[i]); err != nil {
			return err
		}
	}
	return nil
}

func (w *wire) list(resource string) client.Result {
	var keys []string
	for k := range w.objects {
		if len(k) > len(resource) && k[:len(resource)+1] == resource+"/" {
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	var items []api.Object
	for _, k := range keys {
		items = append(items, w.objects[k])
	}
	var list api.List
	for _, kind := range api.Kinds() {
		if kind.Resource == resource {
			list = kind.NewList()
		}
	}
	list.SetItems(items)
	list.GetListMeta().ResourceVersion = strconv.FormatInt(w.version, 10)
	return list.(client.Result)
}

type stream struct {
	resource  string
	proc      *sim.Proc
	pending   []client.Event
	causes    []trace.ID
	busyUntil time.Duration
}

// Watch implements client.Transport. What happened between the list and the
// watch is not delivered, so it must not take time.
func (w *wire) Watch(p *sim.Proc, r *client.Request) (client.Stream, error) {
	if v, _ := strconv.ParseInt(r.List.ResourceVersion, 10, 64); v != w.version {
		return nil, apierrors.NewResourceExpired("too old resource version")
	}
	s := &stream{resource: r.Resource.Resource, proc: p}
	w.watches = append(w.watches, s)
	return s, nil
}

func (s *stream) Next(p *sim.Proc) (client.Event, bool) {
	for len(s.pending) == 0 {
		s.proc = p
		p.Park()
	}
	e := s.pending[0]
	p.Due(s.causes[0])
	s.pending, s.causes = s.pending[1:], s.causes[1:]
	return e, true
}

func (s *stream) Stop() {}
