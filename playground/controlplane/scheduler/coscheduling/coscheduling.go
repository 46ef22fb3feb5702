// Package coscheduling is a scheduler plugin from out of tree: it schedules the Pods of a group together, or none of them.
//
// A group is an object of the kind PodGroup, which a definition adds. Its Pods have the label scheduling.x-k8s.io/pod-group. A member that
// has a node waits for the others, as long as its Permit plugin lets it; when there are minMember of them, all are bound.
//
// Simplified: PodGroups are read from an informer, as older versions do; in newer ones each look at one is a request. Siblings are activated at
// once, not behind the end of the scheduling cycle. Absent: minResources, and the controller that writes PodGroups' status.
//
// Upstream: sigs.k8s.io/scheduler-plugins, pkg/coscheduling and pkg/coscheduling/core; apis/scheduling/v1alpha1, for the kind.
package coscheduling

import (
	"encoding/json"
	"fmt"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/sim"
)

// Name is the plugin's name in a profile, and PodGroupLabel names a Pod's group.
const (
	Name          = "Coscheduling"
	PodGroupLabel = "scheduling.x-k8s.io/pod-group"
)

var podGroups = api.GroupVersionResource{Group: "scheduling.x-k8s.io", Version: "v1alpha1", Resource: "podgroups"}

// Args are the plugin's arguments. Upstream: apis/config/v1, CoschedulingArgs.
type Args struct {
	// PermitWaitingTimeSeconds is how long a member waits for the others when its group doesn't say.
	PermitWaitingTimeSeconds *int64 `json:"permitWaitingTimeSeconds,omitempty"`
	// PodGroupBackoffSeconds is how long a group is left alone after one of its Pods did not fit.
	PodGroupBackoffSeconds *int64 `json:"podGroupBackoffSeconds,omitempty"`
}

// SetDefaults implements config.Args. Upstream: apis/config/v1/defaults.go.
func (a *Args) SetDefaults() {
	if a.PermitWaitingTimeSeconds == nil {
		a.PermitWaitingTimeSeconds = new(int64)
		*a.PermitWaitingTimeSeconds = 60
	}
	if a.PodGroupBackoffSeconds == nil {
		a.PodGroupBackoffSeconds = new(int64)
	}
}

// Validate implements config.Args. Upstream: New, which logs it, and apis/config/validation.
func (a *Args) Validate(path *field.Path) (errs []error) {
	if n := *a.PermitWaitingTimeSeconds; n < 0 {
		errs = append(errs, field.Invalid(path.Child("permitWaitingTimeSeconds"), n, "must be greater than 0"))
	}
	if n := *a.PodGroupBackoffSeconds; n < 0 {
		errs = append(errs, field.Invalid(path.Child("podGroupBackoffSeconds"), n, "must be greater than 0"))
	}
	return errs
}

// podGroup is what the plugin reads of a PodGroup. Upstream: apis/scheduling/v1alpha1/types.go, PodGroup.
type podGroup struct {
	namespace, name string
	created         time.Time
	Spec            struct {
		MinMember              int    `json:"minMember"`
		ScheduleTimeoutSeconds *int64 `json:"scheduleTimeoutSeconds"`
	} `json:"spec"`
}

// Coscheduling is the plugin.
type Coscheduling struct {
	handle          framework.Handle
	groups          cache.SharedIndexInformer
	pods            listers.PodLister
	scheduleTimeout time.Duration
	backoff         time.Duration
	backedOff       map[string]time.Duration // a group's key → until when it is left alone
}

// New makes the plugin.
func New(args config.Args, h framework.Handle) (framework.Plugin, error) {
	a := args.(*Args)
	return &Coscheduling{
		handle: h,
		groups: h.DynInformerFactory().InformerFor(podGroups, func(cs *client.Clientset, resync time.Duration) cache.SharedIndexInformer {
			return cache.NewSharedIndexInformer(cache.NewListWatch(cs.Transport(), podGroups, "", nil), &api.Unstructured{}, resync, cache.Indexers{})
		}),
		pods:            h.SharedInformerFactory().Core().V1().Pods().Lister(),
		scheduleTimeout: time.Duration(*a.PermitWaitingTimeSeconds) * time.Second,
		backoff:         time.Duration(*a.PodGroupBackoffSeconds) * time.Second,
		backedOff:       map[string]time.Duration{},
	}, nil
}

// NewArgs makes arguments without defaults.
func NewArgs() config.Args { return &Args{} }

// Name implements framework.Plugin.
func (cs *Coscheduling) Name() string { return Name }

// EventsToRegister implements framework.EnqueueExtensions: a Pod more, or a change of a group.
func (cs *Coscheduling) EventsToRegister() []framework.ClusterEventWithHint {
	return []framework.ClusterEventWithHint{
		{Event: framework.ClusterEvent{Resource: framework.Pod, ActionType: framework.Add}},
		{Event: framework.ClusterEvent{Resource: "podgroups.v1alpha1.scheduling.x-k8s.io", ActionType: framework.Add | framework.Update}},
	}
}

// Less puts Pods of a group beside each other: by priority, then by when the group was created or the Pod first tried, then by name.
func (cs *Coscheduling) Less(a, b *framework.QueuedPodInfo) bool {
	if pa, pb := framework.PodPriority(a.Pod), framework.PodPriority(b.Pod); pa != pb {
		return pa > pb
	}
	if ta, tb := cs.creationTimestamp(a), cs.creationTimestamp(b); !ta.Equal(tb) {
		return ta.Before(tb)
	}
	return framework.Key(a.Pod) < framework.Key(b.Pod)
}

func (cs *Coscheduling) creationTimestamp(info *framework.QueuedPodInfo) time.Time {
	if g := cs.podGroup(info.Pod); g != nil {
		return g.created
	}
	first := info.Timestamp
	if info.InitialAttemptTimestamp != nil {
		first = *info.InitialAttemptTimestamp
	}
	k := cs.handle.Component().Kernel()
	return k.Time().Add(first - k.Elapsed())
}

// podGroup is the Pod's group; nil when it has none, or none that there is.
func (cs *Coscheduling) podGroup(pod *corev1.Pod) *podGroup {
	name := pod.Labels[PodGroupLabel]
	if name == "" {
		return nil
	}
	obj, ok, err := cs.groups.GetIndexer().GetByKey(pod.Namespace + "/" + name)
	if err != nil || !ok {
		return nil
	}
	text, err := json.Marshal(obj)
	g := &podGroup{namespace: pod.Namespace, name: name, created: obj.(*api.Unstructured).CreationTimestamp.Time}
	if err != nil || json.Unmarshal(text, g) != nil {
		return nil
	}
	return g
}

func (g *podGroup) key() string { return g.namespace + "/" + g.name }

func (g *podGroup) has(pod *corev1.Pod) bool {
	return pod.Namespace == g.namespace && pod.Labels[PodGroupLabel] == g.name
}

// siblings are all Pods of a group, in the order of their names.
func (cs *Coscheduling) siblings(g *podGroup) []*corev1.Pod {
	pods, _ := cs.pods.Pods(g.namespace).List(labels.SelectorFromSet(labels.Set{PodGroupLabel: g.name}))
	return pods
}

// assigned is how many of them have a node, in the snapshot of this cycle: bound or assumed.
func (cs *Coscheduling) assigned(g *podGroup) (n int) {
	for _, node := range cs.handle.SnapshotSharedLister().List() {
		for _, info := range node.Pods {
			if g.has(info.Pod) && info.Pod.Spec.NodeName != "" {
				n++
			}
		}
	}
	return n
}

// PreFilter turns a member down whose group is left alone for a while, or has too few Pods, wherever they are.
func (cs *Coscheduling) PreFilter(p *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, _ []*framework.NodeInfo) (*framework.PreFilterResult,
	*framework.Status) {
	g := cs.podGroup(pod)
	if g == nil {
		return nil, nil
	}
	var err error
	if until, ok := cs.backedOff[g.key()]; ok && p.Now() < until {
		err = fmt.Errorf("podGroup %v failed recently", g.key())
	} else if n := len(cs.siblings(g)); n < g.Spec.MinMember {
		err = fmt.Errorf("pre-filter pod %v cannot find enough sibling pods, current pods number: %v, minMember of group: %v", pod.Name, n, g.Spec.MinMember)
	}
	if err == nil {
		return nil, nil
	}
	p.Logger().Error(err, "PreFilter failed", "pod", framework.Key(pod))
	return nil, framework.NewStatus(framework.UnschedulableAndUnresolvable, err.Error()) // nobody is to be evicted for it
}

// PreFilterExtensions implements framework.PreFilterPlugin.
func (cs *Coscheduling) PreFilterExtensions() framework.PreFilterExtensions { return nil }

// PostFilter sends all waiting members back when one of them does not fit: what they hold is free for others.
func (cs *Coscheduling) PostFilter(p *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, _ *framework.NodeToStatus) (*framework.PostFilterResult,
	*framework.Status) {
	g := cs.podGroup(pod)
	if g == nil {
		return nil, framework.NewStatus(framework.Unschedulable, "can not find pod group")
	}
	assigned := cs.assigned(g)
	if assigned >= g.Spec.MinMember {
		p.Logger().V(4).Info("Assigned pods", "podGroup", g.key(), "assigned", assigned)
		return nil, framework.NewStatus(framework.Unschedulable)
	}
	// Within a tenth of the group, the next members may still make it.
	if missing := g.Spec.MinMember - assigned; 10*missing <= g.Spec.MinMember {
		p.Logger().V(4).Info("A small gap of pods to reach the quorum", "podGroup", g.key(), "percentage", float32(missing)/float32(g.Spec.MinMember))
		return nil, framework.NewStatus(framework.Unschedulable)
	}
	cs.reject(p, g, "PostFilter rejects the pod", "optimistic rejection in PostFilter")
	if cs.backoff > 0 && len(cs.siblings(g)) >= g.Spec.MinMember {
		if until, ok := cs.backedOff[g.key()]; !ok || p.Now() >= until {
			cs.backedOff[g.key()] = p.Now() + cs.backoff
		}
	}
	return nil, framework.NewStatus(framework.Unschedulable,
		fmt.Sprintf("PodGroup %v gets rejected due to Pod %v is unschedulable even after PostFilter", g.key(), pod.Name))
}

func (cs *Coscheduling) reject(p *sim.Proc, g *podGroup, says, why string) {
	cs.handle.IterateOverWaitingPods(func(w framework.WaitingPod) {
		if g.has(w.GetPod()) {
			p.Logger().V(3).Info(says, "podGroup", g.key(), "pod", framework.Key(w.GetPod()))
			w.Reject(Name, why)
		}
	})
}

// region permit

// Permit has a member wait until enough of its group have a node. The last one that is needed lets all others go.
func (cs *Coscheduling) Permit(p *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, nodeName string) (*framework.Status, time.Duration) {
	if pod.Labels[PodGroupLabel] == "" {
		return nil, 0
	}
	g := cs.podGroup(pod)
	if g == nil {
		return framework.NewStatus(framework.Unschedulable, "PodGroup not found"), 0
	}
	assigned := cs.assigned(g) // without this one: the snapshot is of before
	if assigned+1 < g.Spec.MinMember {
		p.Logger().Info("Pod is waiting to be scheduled to node", "pod", framework.Key(pod), "nodeName", nodeName)
		if assigned == 0 {
			cs.activateSiblings(g, pod)
		}
		return framework.NewStatus(framework.Wait), cs.waitTime(g)
	}
	cs.handle.IterateOverWaitingPods(func(w framework.WaitingPod) {
		if g.has(w.GetPod()) {
			p.Logger().V(3).Info("Permit allows", "pod", framework.Key(w.GetPod()))
			w.Allow(Name)
		}
	})
	p.Logger().V(3).Info("Permit allows", "pod", framework.Key(pod))
	return nil, 0
}

// endregion

// activateSiblings has the others tried at once, wherever they wait.
func (cs *Coscheduling) activateSiblings(g *podGroup, pod *corev1.Pod) {
	var others []*corev1.Pod
	for _, s := range cs.siblings(g) {
		if s.UID != pod.UID {
			others = append(others, s)
		}
	}
	cs.handle.Activate(others...)
}

// waitTime is the group's own, that of the arguments, or a minute. Upstream: pkg/util/podgroup.go, GetWaitTimeDuration.
func (cs *Coscheduling) waitTime(g *podGroup) time.Duration {
	if s := g.Spec.ScheduleTimeoutSeconds; s != nil {
		return time.Duration(*s) * time.Second
	}
	if cs.scheduleTimeout != 0 {
		return cs.scheduleTimeout
	}
	return time.Minute
}

// Reserve implements framework.ReservePlugin.
func (cs *Coscheduling) Reserve(*sim.Proc, *framework.CycleState, *corev1.Pod, string) *framework.Status {
	return nil
}

// Unreserve sends the others back when one has given up.
func (cs *Coscheduling) Unreserve(p *sim.Proc, _ *framework.CycleState, pod *corev1.Pod, _ string) {
	if g := cs.podGroup(pod); g != nil {
		cs.reject(p, g, "Unreserve rejects", "rejection in Unreserve")
	}
}
