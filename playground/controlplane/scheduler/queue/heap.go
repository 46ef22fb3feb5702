package queue

import (
	"container/heap"

	"kubewalk/playground/controlplane/scheduler/framework"
)

// podHeap is a heap of Pods with a way to find each.
// Upstream: pkg/scheduler/backend/heap/heap.go.
type podHeap struct{ data heapData }

type heapData struct {
	items []heapItem
	index map[string]int
	less  framework.LessFunc
}

// heapItem is a Pod beside its key, which stays the same.
type heapItem struct {
	key string
	pod *framework.QueuedPodInfo
}

func newPodHeap(less framework.LessFunc) *podHeap {
	return &podHeap{heapData{index: map[string]int{}, less: less}}
}

func (h *podHeap) add(q *framework.QueuedPodInfo) { heap.Push(&h.data, q) }

func (h *podHeap) get(key string) *framework.QueuedPodInfo {
	if i, ok := h.data.index[key]; ok {
		return h.data.items[i].pod
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
	return h.data.items[0].pod
}

func (h *podHeap) pop() *framework.QueuedPodInfo {
	if len(h.data.items) == 0 {
		return nil
	}
	return heap.Pop(&h.data).(*framework.QueuedPodInfo)
}

func (h *podHeap) len() int { return len(h.data.items) }

func (d *heapData) Len() int           { return len(d.items) }
func (d *heapData) Less(i, j int) bool { return d.less(d.items[i].pod, d.items[j].pod) }
func (d *heapData) Swap(i, j int) {
	d.items[i], d.items[j] = d.items[j], d.items[i]
	d.index[d.items[i].key] = i
	d.index[d.items[j].key] = j
}
func (d *heapData) Push(x any) {
	q := x.(*framework.QueuedPodInfo)
	key := framework.Key(q.Pod)
	d.index[key] = len(d.items)
	d.items = append(d.items, heapItem{key, q})
}
func (d *heapData) Pop() any {
	last := len(d.items) - 1
	item := d.items[last]
	d.items[last] = heapItem{}
	d.items = d.items[:last]
	delete(d.index, item.key)
	return item.pod
}
