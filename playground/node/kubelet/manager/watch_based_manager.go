// Package manager keeps the ConfigMaps and Secrets that a node's Pods refer to:
// one list and one watch for each object, for as long as some Pod needs it. So a
// kubelet never sees those of Pods of other nodes, and a change is known as soon
// as the watch brings it.
//
// Guarantees: Get answers from the cache, and an object that was just registered
// is waited for, a second at most; a Pod that is registered again with other
// references drops the old ones; two Pods that refer to an object share its watch.
//
// Simplified: upstream also closes the watch of an object that nobody asked for
// in a while, and of one that is immutable.
//
// Upstream: pkg/kubelet/util/manager/watch_based_manager.go.
package manager

import (
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/sim"
)

// syncTimeout is how long Get waits for an object's first list.
const syncTimeout = time.Second

type key struct{ namespace, name string }

// Manager caches objects of one resource.
type Manager struct {
	component *sim.Component
	transport client.Transport
	resource  api.GroupVersionResource
	refersTo  func(pod *corev1.Pod) []string
	items     map[key]*item
	pods      map[types.UID]*corev1.Pod
}

// item is one object and who needs it.
type item struct {
	references int
	object     api.Object // nil when there is none
	synced     bool
	stopped    bool
	stream     client.Stream
	waiting    []*sim.Proc
}

// New returns a manager of the objects that refersTo finds in a Pod.
func New(c *sim.Component, t client.Transport, resource string, refersTo func(pod *corev1.Pod) []string) *Manager {
	return &Manager{component: c, transport: t, resource: api.GroupVersionResource{Version: "v1", Resource: resource}, refersTo: refersTo,
		items: map[key]*item{}, pods: map[types.UID]*corev1.Pod{}}
}

// RegisterPod makes sure that what a Pod refers to is watched.
func (m *Manager) RegisterPod(pod *corev1.Pod) {
	old := m.pods[pod.UID]
	if old == pod {
		return
	}
	for _, name := range m.refersTo(pod) {
		m.add(key{pod.Namespace, name})
	}
	m.pods[pod.UID] = pod
	if old != nil {
		m.release(old)
	}
}

// UnregisterPod drops what only that Pod referred to.
func (m *Manager) UnregisterPod(pod *corev1.Pod) {
	if old := m.pods[pod.UID]; old != nil {
		delete(m.pods, pod.UID)
		m.release(old)
	}
}

func (m *Manager) release(pod *corev1.Pod) {
	for _, name := range m.refersTo(pod) {
		k := key{pod.Namespace, name}
		if i := m.items[k]; i != nil {
			if i.references--; i.references == 0 {
				delete(m.items, k)
				i.stopped = true
				if i.stream != nil {
					i.stream.Stop()
				}
			}
		}
	}
}

func (m *Manager) add(k key) {
	if i := m.items[k]; i != nil {
		i.references++
		return
	}
	i := &item{references: 1}
	m.items[k] = i
	lw := &listWatch{cache.NewListWatch(m.transport, m.resource, k.namespace, func(o *metav1.ListOptions) { o.FieldSelector = "metadata.name=" + k.name }), i}
	r := cache.NewReflector(lw, api.KindForResource(m.resource).New(), i, 0)
	m.component.Go("watch/"+m.resource.Resource+"/"+k.namespace+"/"+k.name, r.Run)
}

// Get returns an object. That it doesn't exist is an error that
// apierrors.IsNotFound knows.
func (m *Manager) Get(p *sim.Proc, namespace, name string) (api.Object, error) {
	i := m.items[key{namespace, name}]
	if i == nil {
		return nil, fmt.Errorf("object %q/%q not registered", namespace, name)
	}
	deadline := p.Now() + syncTimeout
	for !i.synced && p.Now() < deadline {
		i.waiting = append(i.waiting, p)
		p.ParkFor(deadline - p.Now())
	}
	switch {
	case !i.synced:
		return nil, fmt.Errorf("failed to sync %s cache: timed out waiting for the condition", m.singular())
	case i.object == nil:
		return nil, apierrors.NewNotFound(api.GroupResource{Resource: m.singular()}, name)
	}
	return i.object, nil
}

func (m *Manager) singular() string { return m.resource.Resource[:len(m.resource.Resource)-1] }

// item is a cache.ReflectorStore of one object at most.

// Add implements cache.ReflectorStore.
func (i *item) Add(obj any) error { return i.Update(obj) }

// Update implements cache.ReflectorStore.
func (i *item) Update(obj any) error {
	i.object, _ = obj.(api.Object)
	return nil
}

// Delete implements cache.ReflectorStore.
func (i *item) Delete(any) error {
	i.object = nil
	return nil
}

// Replace implements cache.ReflectorStore.
func (i *item) Replace(list []any, _ string) error {
	i.object, i.synced = nil, true
	for _, obj := range list {
		i.object, _ = obj.(api.Object)
	}
	for _, p := range i.waiting {
		p.Wake()
	}
	i.waiting = nil
	return nil
}

// Resync implements cache.ReflectorStore.
func (i *item) Resync() error { return nil }

// listWatch ends when nobody needs the object any more.
type listWatch struct {
	*cache.ListWatch
	item *item
}

func (lw *listWatch) List(p *sim.Proc, options metav1.ListOptions) (api.List, error) {
	lw.end(p)
	return lw.ListWatch.List(p, options)
}

func (lw *listWatch) Watch(p *sim.Proc, options metav1.ListOptions) (client.Stream, error) {
	lw.end(p)
	stream, err := lw.ListWatch.Watch(p, options)
	if err == nil {
		lw.item.stream = stream
		if lw.item.stopped {
			stream.Stop()
		}
	}
	return stream, err
}

// end parks the process of an object that nobody needs, for good.
func (lw *listWatch) end(p *sim.Proc) {
	for lw.item.stopped {
		p.Park()
	}
}

// ConfigMapNames lists the ConfigMaps that a Pod refers to, each once.
// Upstream: pkg/api/v1/pod/util.go VisitPodConfigmapNames.
func ConfigMapNames(pod *corev1.Pod) []string { return names(pod, false) }

// SecretNames lists the Secrets that a Pod refers to, each once.
// Upstream: pkg/api/v1/pod/util.go VisitPodSecretNames.
func SecretNames(pod *corev1.Pod) []string { return names(pod, true) }

func names(pod *corev1.Pod, secrets bool) []string {
	var out []string
	add := func(name string) {
		for _, one := range out {
			if one == name {
				return
			}
		}
		if name != "" {
			out = append(out, name)
		}
	}
	if secrets {
		for _, s := range pod.Spec.ImagePullSecrets {
			add(s.Name)
		}
	}
	container.VisitContainers(pod, func(c *corev1.Container) {
		for _, e := range c.EnvFrom {
			if e.ConfigMapRef != nil && !secrets {
				add(e.ConfigMapRef.Name)
			}
			if e.SecretRef != nil && secrets {
				add(e.SecretRef.Name)
			}
		}
		for _, e := range c.Env {
			if from := e.ValueFrom; from != nil {
				if from.ConfigMapKeyRef != nil && !secrets {
					add(from.ConfigMapKeyRef.Name)
				}
				if from.SecretKeyRef != nil && secrets {
					add(from.SecretKeyRef.Name)
				}
			}
		}
	})
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		if v.ConfigMap != nil && !secrets {
			add(v.ConfigMap.Name)
		}
		if v.Secret != nil && secrets {
			add(v.Secret.SecretName)
		}
		if v.Projected != nil {
			for _, s := range v.Projected.Sources {
				if s.ConfigMap != nil && !secrets {
					add(s.ConfigMap.Name)
				}
				if s.Secret != nil && secrets {
					add(s.Secret.Name)
				}
			}
		}
	}
	return out
}
