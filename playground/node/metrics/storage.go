package metrics

import (
	"errors"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
)

// freshContainerMinMetricsResolution is how long a container has to have run to count from its start on: before, one reading says little.
const freshContainerMinMetricsResolution = 10 * time.Second

// point is what is known of a container or a node at some time. Upstream: MetricsPoint.
type point struct {
	start, at time.Time     // of a node, start is zero
	cpu       time.Duration // since the start
	memory    int64         // bytes
}

// batch is what one round has brought: nodes by their names, containers by Pod and name. Upstream: MetricsBatch.
type batch struct {
	nodes map[string]point
	pods  map[podRef]map[string]point
}

type podRef struct{ namespace, name string }

func newBatch() batch { return batch{map[string]point{}, map[podRef]map[string]point{}} }

// storage holds the last round and, of what was in it, the one before: it takes two readings of a counter to tell how fast it goes.
// Upstream: pkg/storage/storage.go, pod.go and node.go.
type storage struct {
	resolution time.Duration
	last, prev batch
}

func newStorage(resolution time.Duration) *storage {
	return &storage{resolution, newBatch(), newBatch()}
}

// ready tells whether there is anything to say of Pods and of nodes.
func (s *storage) ready() (nodes, pods bool) { return len(s.prev.nodes) > 0, len(s.prev.pods) > 0 }

// store takes a round.
func (s *storage) store(b batch) {
	prev := newBatch()
	for name, p := range b.nodes { // order: into a map
		if last, found := s.last.nodes[name]; found && p.at.After(last.at) {
			prev.nodes[name] = last
		}
	}
	for ref, containers := range b.pods { // order: into a map
		before := map[string]point{}
		for name, p := range containers { // order: into a map
			age := p.at.Sub(p.start)
			last, found := s.last.pods[ref][name]
			switch {
			case age < s.resolution && age >= freshContainerMinMetricsResolution:
				before[name] = point{start: p.start, at: p.start, memory: p.memory}
			case found && p.start.Before(last.at) && p.at.After(last.at): // not restarted meanwhile
				before[name] = last
			}
		}
		if len(before) > 0 {
			prev.pods[ref] = before
		}
	}
	s.last, s.prev = b, prev
}

// usage is what was used between two readings. Upstream: resourceUsage.
func usage(last, prev point) (corev1.ResourceList, time.Duration, error) {
	if last.start.Before(prev.start) {
		return nil, 0, errors.New("unexpected decrease in startTime of node/container")
	}
	if last.cpu < prev.cpu {
		return nil, 0, errors.New("unexpected decrease in cumulative CPU usage value")
	}
	window := last.at.Sub(prev.at)
	return corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewScaledQuantity(int64(float64(last.cpu-prev.cpu)/window.Seconds()), resource.Nano),
		corev1.ResourceMemory: *resource.NewQuantity(last.memory, resource.BinarySI),
	}, window, nil
}
