package scene

import (
	"strings"

	"kubewalk/playground/api/corev1"
)

func nodeArea(node string) string { return "node/" + node }

const (
	waitingArea = "waiting"
	ghostKey    = "ghost "
)

// placePods moves Pods to where they belong now.
func (s *Stage) placePods() {
	if len(s.dirty.pods) == 0 {
		return
	}
	for _, key := range sorted(s.dirty.pods) {
		s.move(key, s.placeOf(key))
		ghost := ""
		if node, ok := s.assumed[key]; ok && s.place[key] != nodeArea(node) {
			ghost = nodeArea(node)
		}
		s.move(ghostKey+key, ghost)
	}
	clear(s.dirty.pods)
}

// placeOf is the area that a Pod is drawn in; "" when it is not drawn.
func (s *Stage) placeOf(key string) string {
	p := s.pods[key]
	if p == nil {
		for _, node := range sortedKeys(s.sandboxes) { // deleted, but its containers are not gone yet
			if _, ok := s.sandboxes[node][key]; ok {
				return nodeArea(node)
			}
		}
		return ""
	}
	if p.Spec.NodeName != "" {
		return nodeArea(p.Spec.NodeName)
	}
	if q, ok := s.scheduling[key]; ok && s.view.hasQueues() {
		return schedulerArea(q)
	}
	if _, ok := s.assumed[key]; ok && s.view.hasQueues() { // its cycle is over, its binding is on the way
		return schedulerArea(inFlight)
	}
	return waitingArea
}

func (s *Stage) move(key, to string) {
	from := s.place[key]
	if from != to {
		if from != "" {
			s.areas[from].leave(key)
			s.dirty.areas[from] = true
		}
		if to == "" {
			delete(s.place, key)
			return
		}
		s.place[key] = to
		if s.areas[to] == nil {
			s.areas[to] = newSlots()
		}
		// A Pod that is bound takes the place that was kept for it.
		if ghost := ghostKey + key; s.place[ghost] == to && s.areas[to].rename(ghost, key) {
			delete(s.place, ghost)
		} else {
			s.areas[to].take(key)
		}
	}
	if to != "" {
		s.dirty.areas[to] = true
	}
}

// podWords say a Pod's state in the words of kubectl and of the API.
var podWords = map[string]string{
	PodPending: "Pending", PodUnschedulable: "Pending", PodScheduled: "Scheduled", PodPulling: "Pulling", PodStarting: "Creating",
	PodRunning: "Running", PodReady: "Ready", PodTerminating: "Terminating", PodSucceeded: "Succeeded", PodFailed: "Failed", PodLost: "Unknown",
	PodInit: "Init", PodWaiting: "BackOff",
}

// podDetails say what a Pod does, from long to short.
func (s *Stage) podDetails(key, state string) []words {
	if state != PodWaiting {
		return []words{plain(podWords[state])}
	}
	reason := ""
	if p := s.pods[key]; p != nil {
		reason = waitsFor(p)
	}
	if strings.HasSuffix(reason, "BackOff") {
		return []words{plain(reason), plain("BackOff")}
	}
	return []words{plain(reason), plain("Waiting")}
}

// waitsFor is the reason for which a container of a Pod is not started; "" when none waits for long.
func waitsFor(p *corev1.Pod) string {
	for _, list := range [][]corev1.ContainerStatus{p.Status.InitContainerStatuses, p.Status.ContainerStatuses} {
		for i := range list {
			if w := list[i].State.Waiting; w != nil && waits(w.Reason) {
				return w.Reason
			}
		}
	}
	return ""
}

// waits tells the reasons for which a container is not started that do not pass by themselves.
func waits(reason string) bool { return reason != "ContainerCreating" && reason != "PodInitializing" }

// staticOn is the node whose kubelet has a Pod from a file: its name ends in the node's, and the API has a mirror of it, or nothing yet.
func (s *Stage) staticOn(key string) string {
	for node := range s.sandboxes { // order: one node at most
		if strings.HasSuffix(key, "-"+node) && s.place[key] == nodeArea(node) {
			if p := s.pods[key]; p == nil || p.Annotations[corev1.MirrorPodAnnotationKey] != "" {
				return node
			}
		}
	}
	return ""
}

// staticState is what a Pod does of which only the runtime knows.
func (s *Stage) staticState(node, key string) string {
	state := PodStarting
	for _, is := range s.containers[node][key] { // order: what ends goes first
		switch is {
		case "running":
			if state == PodStarting {
				state = PodRunning
			}
		case "created":
		default:
			state = PodTerminating
		}
	}
	return state
}

// podState is what a Pod does.
func (s *Stage) podState(key string) string {
	p := s.pods[key]
	if p == nil {
		if node := s.staticOn(key); node != "" {
			return s.staticState(node, key)
		}
	}
	if p == nil || p.DeletionTimestamp != nil {
		return PodTerminating
	}
	switch p.Status.Phase {
	case corev1.PodFailed:
		return PodFailed
	case corev1.PodSucceeded:
		return PodSucceeded
	}
	node := p.Spec.NodeName
	if node == "" {
		if s.scheduling[key] == "unschedulablePods" {
			return PodUnschedulable
		}
		return PodPending
	}
	if up, known := s.cast["containerd/"+node]; known && !up {
		return PodLost // when only the kubelet is down, its containers run on
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return PodReady
		}
	}
	if st := &p.Status; st.Phase != corev1.PodSucceeded {
		if waitsFor(p) != "" {
			return PodWaiting
		}
		for _, c := range st.Conditions {
			if c.Type == corev1.PodInitialized && c.Status == corev1.ConditionFalse && len(st.InitContainerStatuses) > 0 {
				return PodInit
			}
		}
	}
	made, running := 0, 0
	for _, c := range p.Spec.Containers {
		state, ok := s.containers[node][key][c.Name]
		if ok {
			made++
		}
		if state == "running" {
			running++
		}
	}
	if running > 0 && running >= len(p.Spec.Containers) || p.Status.Phase == corev1.PodRunning {
		return PodRunning
	}
	if _, begun := s.sandboxes[node][key]; !begun {
		return PodScheduled
	}
	if made < len(p.Spec.Containers) {
		for _, c := range p.Spec.Containers {
			if s.images[node][c.Image] == "pulling" {
				return PodPulling
			}
		}
	}
	return PodStarting
}

func (s *Stage) nodeReady(name string) bool {
	n := s.nodes[name]
	if n == nil {
		return false
	}
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// asked sums up what the Pods on a node request, in thousandths of a CPU, and
// what there is.
func (s *Stage) asked(node string) (cpu, most int64, pods int) {
	if n := s.nodes[node]; n != nil {
		q := n.Status.Allocatable[corev1.ResourceCPU]
		most = q.MilliValue()
	}
	a := s.areas[nodeArea(node)]
	if a == nil {
		return 0, most, 0
	}
	for _, key := range a.keys {
		p := s.pods[strings.TrimPrefix(key, ghostKey)]
		if key == "" || p == nil || p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded {
			continue
		}
		pods++
		for i := range p.Spec.Containers {
			q := p.Spec.Containers[i].Resources.Requests[corev1.ResourceCPU]
			cpu += q.MilliValue()
		}
	}
	return cpu, most, pods
}

// milli prints thousandths: "1.25", "4".
func milli(n int64) string {
	s := count(n / 1000)
	if rest := n % 1000; rest > 0 {
		digits := count(1000 + rest)[1:]
		s += "." + strings.TrimRight(digits, "0")
	}
	return s
}
