package queue

import (
	"container/heap"

	"kubewalk/playground/controlplane/scheduler/framework"
)

// podHeap is a heap of Pods with a way to find each.
// Upstream: pkg/scheduler/backend/heap/heap.go.
type podHeap struct{ data heapData }

type heapData struct {
	items []*framework.QueuedPodInfo
	index map[string]int
	less  framework.LessFunc
}

func newPodHeap(less framework.LessFunc) *podHeap {
	return &podHeap{heapData{index: map[string]int{}, less: less}}
}

func (h *podHeap) add(q *framework.QueuedPodInfo) { heap.Push(&h.data, q) }

func (h *podHeap) get(key string) *framework.QueuedPodInfo {
	if i, ok := h.data.index[key]; ok {
		return h.data.items[i]
	}
	return nil
}

// fix restores the order after the Pod has changed.
func (h *podHeap) fix(key string) { heap.Fix(&h.data, h.data.index[key]) }

func (h *podHeap) delete(key string) *framework.QueuedPodInfo {
	i, ok := h.data.index[key]
	if !ok {
		return nil
	}
	return heap.Remove(&h.data, i).(*framework.QueuedPodInfo)
}

func (h *podHeap) peek() *framework.QueuedPodInfo {
	if len(h.data.items) == 0 {
		return nil
	}
	return h.data.items[0]
}

func (h *podHeap) pop() *framework.QueuedPodInfo {
	if len(h.data.items) == 0 {
		return nil
	}
	return heap.Pop(&h.data).(*framework.QueuedPodInfo)
}

func (h *podHeap) len() int { return len(h.data.items) }

func (d *heapData) Len() int           { return len(d.items) }
func (d *heapData) Less(i, j int) bool { return d.less(d.items[i], d.items[j]) }
func (d *heapData) Swap(i, j int) {
	d.items[i], d.items[j] = d.items[j], d.items[i]
	d.index[framework.Key(d.items[i].Pod)] = i
	d.index[framework.Key(d.items[j].Pod)] = j
}
func (d *heapData) Push(x any) {
	q := x.(*framework.QueuedPodInfo)
	d.index[framework.Key(q.Pod)] = len(d.items)
	d.items = append(d.items, q)
}
func (d *heapData) Pop() any {
	last := len(d.items) - 1
	q := d.items[last]
	d.items[last] = nil
	d.items = d.items[:last]
	delete(d.index, framework.Key(q.Pod))
	return q
}
