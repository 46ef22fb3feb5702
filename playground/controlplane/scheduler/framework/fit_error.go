package framework

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"kubewalk/playground/api/corev1"
)

// NoNodeAvailableMsg is how a failed attempt's message starts.
// Upstream: pkg/scheduler/framework/types.go, NoNodeAvailableMsg.
const NoNodeAvailableMsg = "0/%v nodes are available"

// NodeToStatus is why each node was not chosen. Nodes that no plugin was asked
// about have the status for absent nodes.
// Upstream: pkg/scheduler/framework/interface.go, NodeToStatus.
type NodeToStatus struct {
	nodes    []string
	statuses map[string]*Status
	absent   *Status
}

// NewDefaultNodeToStatus has UnschedulableAndUnresolvable for absent nodes.
func NewDefaultNodeToStatus() *NodeToStatus {
	return &NodeToStatus{statuses: map[string]*Status{}, absent: NewStatus(UnschedulableAndUnresolvable)}
}

// Set says why the node was not chosen.
func (m *NodeToStatus) Set(node string, status *Status) {
	if _, ok := m.statuses[node]; !ok {
		m.nodes = append(m.nodes, node)
	}
	m.statuses[node] = status
}

// Get returns the node's status, or that for absent nodes.
func (m *NodeToStatus) Get(node string) *Status {
	if s, ok := m.statuses[node]; ok {
		return s
	}
	return m.absent
}

// SetAbsentNodesStatus says why the nodes were not looked at.
func (m *NodeToStatus) SetAbsentNodesStatus(s *Status) { m.absent = s }

// AbsentNodesStatus is why the nodes were not looked at.
func (m *NodeToStatus) AbsentNodesStatus() *Status { return m.absent }

// Len is how many nodes have a status of their own.
func (m *NodeToStatus) Len() int { return len(m.nodes) }

// ForEachExplicitNode visits the nodes with a status of their own, in the order in which they got it.
func (m *NodeToStatus) ForEachExplicitNode(fn func(node string, status *Status)) {
	for _, n := range m.nodes {
		fn(n, m.statuses[n])
	}
}

// Diagnosis is why a Pod could not be scheduled. Upstream: pkg/scheduler/framework/types.go, Diagnosis.
type Diagnosis struct {
	NodeToStatus         *NodeToStatus
	UnschedulablePlugins PluginSet
	PendingPlugins       PluginSet
	PreFilterMsg         string
	PostFilterMsg        string
}

// AddPluginStatus notes who turned the Pod down.
func (d *Diagnosis) AddPluginStatus(s *Status) {
	if s.Plugin() == "" {
		return
	}
	switch {
	case s.Code() == Pending:
		d.PendingPlugins = d.PendingPlugins.Insert(s.Plugin())
	case s.IsRejected():
		d.UnschedulablePlugins = d.UnschedulablePlugins.Insert(s.Plugin())
	}
}

// FitError is the error of a Pod for which there is no node.
type FitError struct {
	Pod         *corev1.Pod
	NumAllNodes int
	Diagnosis   Diagnosis
}

// Error is the message that the Pod's condition and event carry: how many nodes
// there are, then each reason with the number of nodes that have it, in the
// order of the text, then what the plugins after filtering said.
// Upstream: pkg/scheduler/framework/types.go, FitError.Error.
func (f *FitError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, NoNodeAvailableMsg+":", f.NumAllNodes)
	if f.Diagnosis.PreFilterMsg != "" {
		b.WriteString(" " + f.Diagnosis.PreFilterMsg + ".")
	}
	if f.Diagnosis.PreFilterMsg == "" {
		counts := map[string]int{}
		f.Diagnosis.NodeToStatus.ForEachExplicitNode(func(_ string, s *Status) {
			for _, r := range s.Reasons() {
				counts[r]++
			}
		})
		if rest := f.NumAllNodes - f.Diagnosis.NodeToStatus.Len(); rest > 0 {
			for _, r := range f.Diagnosis.NodeToStatus.AbsentNodesStatus().Reasons() {
				counts[r] += rest
			}
		}
		if len(counts) > 0 {
			b.WriteString(" " + strings.Join(Histogram(counts), ", ") + ".")
		}
	}
	if f.Diagnosis.PostFilterMsg != "" {
		b.WriteString(" " + f.Diagnosis.PostFilterMsg)
	}
	return b.String()
}

// Histogram prints "3 reason" for each, sorted as text.
func Histogram(counts map[string]int) []string {
	lines := make([]string, 0, len(counts))
	for reason, n := range counts {
		lines = append(lines, fmt.Sprintf("%v %v", n, reason))
	}
	sort.Strings(lines)
	return slices.Clip(lines)
}
