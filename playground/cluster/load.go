package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/node/kubelet/cri"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Load is the input that has people use something: Resource and Name (a Service, a Deployment, a ReplicaSet, a
// StatefulSet, a Pod) get work that takes Value of CPU altogether ("1500m"), shared evenly among the Pods that are
// ready. It goes on until it is set to another value; "0" ends it.
const Load Kind = "load"

// Clients is the component that stands for everybody outside who uses the cluster. It starts with the first Load.
const Clients = "clients"

// shareEvery is how fast a load finds Pods that have become ready, and leaves those that no longer are.
const shareEvery = time.Second

var _ = register(Load, action{
	validate: func(in Input) error {
		if in.Resource == "" {
			return fmt.Errorf("input %q: needs a resource", in.Kind)
		}
		return in.lacks("name quantity")
	},
	words: func(in Input) string {
		return fmt.Sprintf("%s %s %s %s", in.Kind, in.Resource, in.key(), in.Value)
	},
	attrs: func(in Input) []trace.Attr { return given("value", in.Value) },
	do: func(c *Cluster, i int) {
		c.results[i].Done = true
		if err := c.setLoad(c.results[i].Input); err != nil {
			c.results[i].Error = err.Error()
		}
	},
})

// load is work for the Pods of one target.
type load struct {
	resource, namespace, name string
	nanoCores                 int64
	ready                     int // among how many it was shared
}

func (l *load) target() string { return l.resource + "/" + l.name }

func (c *Cluster) setLoad(in Input) error {
	kind := api.Resolve(in.Resource)
	if kind == nil {
		return fmt.Errorf("the server doesn't have a resource type %q", in.Resource)
	}
	switch kind.Resource {
	case "services", "deployments", "replicasets", "statefulsets", "pods":
	default:
		return fmt.Errorf("%s have no Pods that take a load", kind.Resource)
	}
	q, err := resource.ParseQuantity(in.Value)
	if err != nil {
		return err
	}
	l := load{resource: kind.Resource, namespace: in.Namespace, name: in.Name, nanoCores: q.ScaledValue(resource.Nano), ready: -1}
	if l.namespace == "" {
		l.namespace = "default"
	}
	i := slices.IndexFunc(c.loads, func(o load) bool {
		return o.resource == l.resource && o.namespace == l.namespace && o.name == l.name
	})
	if i < 0 {
		c.loads = append(c.loads, l)
	} else {
		c.loads[i] = l
	}
	if c.clients == nil {
		c.clients = c.kernel.Start(Clients)
	}
	if c.sharing {
		return nil // it sees the new value within a second
	}
	c.sharing = true
	c.clients.Go("share", func(p *sim.Proc) {
		for c.share(p); len(c.loads) > 0; c.share(p) {
			p.Sleep(shareEvery)
		}
		c.sharing = false
	})
	return nil
}

// share gives every ready Pod its part of each load, and takes it from the others. Loads of 0 end.
func (c *Cluster) share(p *sim.Proc) {
	work := map[string]int64{} // by "namespace/name"
	for i := range c.loads {
		l := &c.loads[i]
		pods := c.readyPods(l)
		if len(pods) != l.ready {
			l.ready = len(pods)
			each := int64(0)
			if l.ready > 0 {
				each = l.nanoCores / int64(l.ready)
			}
			p.Logger().Info("Sharing the load among ready Pods", "target", l.target(), "namespace", l.namespace, "readyPods", l.ready,
				"total", resource.NewScaledQuantity(l.nanoCores, resource.Nano), "each", resource.NewScaledQuantity(each, resource.Nano))
		}
		for _, pod := range pods {
			work[pod] += l.nanoCores / int64(len(pods))
		}
	}
	for _, m := range c.boxes {
		if m.runtime != nil && m.runtime.Component().Running() {
			c.shareOn(m.runtime, work)
		}
	}
	c.loaded = work
	c.loads = slices.DeleteFunc(c.loads, func(l load) bool { return l.nanoCores == 0 })
}

// shareOn sets what the containers of one node have to do, where that is not what it was: a container that was
// started again has nothing to do at first.
func (c *Cluster) shareOn(r *cri.Runtime, work map[string]int64) {
	stats, err := r.ListContainerStats()
	if err != nil {
		return
	}
	seen := map[string]bool{}
	for _, s := range stats {
		pod := s.Namespace + "/" + s.Pod
		_, is := work[pod]
		_, was := c.loaded[pod]
		if seen[pod] || !is && !was {
			continue
		}
		seen[pod] = true // the first container takes it
		if err := r.SetLoad(s.Namespace, s.Pod, s.Container, work[pod]); err != nil {
			continue // it has just ended
		}
	}
}

// readyPods lists the Pods that share a load, by namespace and name.
func (c *Cluster) readyPods(l *load) (out []string) {
	revision := c.store.Revision()
	var selector labels.Selector
	for _, obj := range c.store.At(l.resource, l.namespace, revision) {
		if obj.GetName() == l.name {
			selector = selectorOf(obj)
		}
	}
	if selector == nil {
		return nil
	}
	for _, obj := range c.store.At("pods", l.namespace, revision) {
		pod := obj.(*corev1.Pod)
		matches := selector.Matches(labels.Set(pod.Labels))
		if l.resource == "pods" {
			matches = pod.Name == l.name
		}
		if matches && pod.DeletionTimestamp == nil && ready(pod) {
			out = append(out, pod.Namespace+"/"+pod.Name)
		}
	}
	return out
}

func ready(pod *corev1.Pod) bool {
	for i := range pod.Status.Conditions {
		if c := &pod.Status.Conditions[i]; c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// selectorOf is what selects the Pods of a target; nil when nothing does.
func selectorOf(obj api.Object) labels.Selector {
	var s *metav1.LabelSelector
	switch o := obj.(type) {
	case *corev1.Service:
		if len(o.Spec.Selector) == 0 {
			return nil
		}
		return labels.SelectorFromSet(o.Spec.Selector)
	case *corev1.Pod:
		return labels.Everything()
	case *appsv1.Deployment:
		s = o.Spec.Selector
	case *appsv1.ReplicaSet:
		s = o.Spec.Selector
	case *appsv1.StatefulSet:
		s = o.Spec.Selector
	}
	selector, err := labels.LabelSelectorAsSelector(s)
	if err != nil || strings.TrimSpace(selector.String()) == "" {
		return nil
	}
	return selector
}
