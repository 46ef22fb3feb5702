package cache

import (
	"fmt"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/scheduler/framework"
)

// AddNode takes a node from the watch. Pods that came before it are on it already.
func (c *Cache) AddNode(node *corev1.Node) {
	c.changed[node.Name] = true
	n := c.nodes[node.Name]
	if n == nil {
		n = framework.NewNodeInfo(nil)
		c.nodes[node.Name] = n
	}
	c.removeImages(n.Node())
	c.tree.add(node)
	c.addImages(node)
	n.SetNode(node)
}

// UpdateNode takes a new version of a node.
func (c *Cache) UpdateNode(oldNode, newNode *corev1.Node) {
	c.changed[newNode.Name] = true
	n := c.nodes[newNode.Name]
	if n == nil {
		n = framework.NewNodeInfo(nil)
		c.nodes[newNode.Name] = n
		c.tree.add(newNode)
	} else {
		c.removeImages(n.Node())
	}
	c.tree.update(oldNode, newNode)
	c.addImages(newNode)
	n.SetNode(newNode)
}

// RemoveNode takes a node away. While Pods are known to be on it, their
// deletions are still to come, and it keeps counting them without being offered.
func (c *Cache) RemoveNode(node *corev1.Node) error {
	c.changed[node.Name] = true
	n := c.nodes[node.Name]
	if n == nil {
		return fmt.Errorf("node %v is not found", node.Name)
	}
	c.removeImages(n.Node())
	n.RemoveNode()
	if len(n.Pods) == 0 {
		delete(c.nodes, node.Name)
	}
	return c.tree.remove(node)
}

func (c *Cache) addImages(node *corev1.Node) {
	for _, img := range node.Status.Images {
		for _, name := range img.Names {
			s := c.images[name]
			if s == nil {
				s = &image{size: img.SizeBytes, nodes: map[string]bool{}}
				c.images[name] = s
			}
			s.nodes[node.Name] = true
		}
	}
}

func (c *Cache) removeImages(node *corev1.Node) {
	if node == nil {
		return
	}
	for _, img := range node.Status.Images {
		for _, name := range img.Names {
			s := c.images[name]
			if s == nil {
				continue
			}
			delete(s.nodes, node.Name)
			if len(s.nodes) == 0 {
				delete(c.images, name)
			}
		}
	}
}

// Snapshot is the nodes as one cycle sees them.
// Upstream: backend/cache/snapshot.go, Snapshot.
type Snapshot struct {
	nodes []*framework.NodeInfo // in the tree's order
	// Those of them that have Pods of a kind.
	withAffinity, withAntiAffinity []*framework.NodeInfo

	byName map[string]*framework.NodeInfo
	index  map[string]int // in nodes

	version int64 // grows whenever nodes differ from what they were
	changed []int // which of them did the last time
}

// NewSnapshot returns an empty snapshot, to be filled by UpdateSnapshot.
func NewSnapshot() *Snapshot {
	return &Snapshot{byName: map[string]*framework.NodeInfo{}, index: map[string]int{}}
}

// List implements framework.SharedLister.
func (s *Snapshot) List() []*framework.NodeInfo { return s.nodes }

// Changed implements framework.SharedLister.
func (s *Snapshot) Changed() (version int64, changed []int) { return s.version, s.changed }

// HavePodsWithAffinityList implements framework.SharedLister.
func (s *Snapshot) HavePodsWithAffinityList() []*framework.NodeInfo { return s.withAffinity }

// HavePodsWithRequiredAntiAffinityList implements framework.SharedLister.
func (s *Snapshot) HavePodsWithRequiredAntiAffinityList() []*framework.NodeInfo {
	return s.withAntiAffinity
}

// NewTestSnapshot is a snapshot of some nodes, for tests of plugins.
func NewTestSnapshot(nodes ...*framework.NodeInfo) *Snapshot {
	s := NewSnapshot()
	for _, n := range nodes {
		s.add(n)
	}
	return s
}

func (s *Snapshot) add(n *framework.NodeInfo) {
	s.version += 2 // it is not known what differs from the version before
	s.changed = s.changed[:0]
	s.index[n.Name()] = len(s.nodes)
	s.nodes = append(s.nodes, n)
	s.byName[n.Name()] = n
	s.sortAffinity(n)
}

func (s *Snapshot) sortAffinity(n *framework.NodeInfo) {
	if len(n.PodsWithAffinity) > 0 {
		s.withAffinity = append(s.withAffinity, n)
	}
	if len(n.PodsWithRequiredAntiAffinity) > 0 {
		s.withAntiAffinity = append(s.withAntiAffinity, n)
	}
}

// NumNodes is how many there are.
func (s *Snapshot) NumNodes() int { return len(s.nodes) }

// Get returns one node, or nil.
func (s *Snapshot) Get(name string) *framework.NodeInfo { return s.byName[name] }

// UpdateSnapshot brings s up to date. Nodes that did not change since the last
// time are not copied again, and when there are the same nodes, and no images,
// only those that did change are looked at.
func (c *Cache) UpdateSnapshot(s *Snapshot) {
	if c.snapshot == s && c.listed == c.tree.version && len(c.images) == 0 {
		c.updateChanged(s)
		return
	}
	c.snapshot, c.listed = s, c.tree.version
	clear(c.changed)
	names := c.tree.list()
	old := s.byName
	s.version += 2
	s.changed = s.changed[:0]
	s.nodes = make([]*framework.NodeInfo, 0, len(names))
	s.withAffinity, s.withAntiAffinity = nil, nil
	s.byName = make(map[string]*framework.NodeInfo, len(names))
	s.index = make(map[string]int, len(names))
	for _, name := range names {
		n := c.nodes[name]
		have := old[name]
		if have == nil || have.Generation != n.Generation || have.Node() != n.Node() {
			have = n.Snapshot()
		}
		if states := c.imageStates(n.Node()); len(states) > 0 || len(have.ImageStates) > 0 {
			// How many nodes have an image changes without this node changing.
			fresh := *have
			fresh.ImageStates = states
			have = &fresh
		}
		s.add(have)
	}
}

// updateChanged copies the nodes that changed. A list of the nodes is good until the next cycle, as upstream.
func (c *Cache) updateChanged(s *Snapshot) {
	if len(c.changed) == 0 {
		return
	}
	affinity := false
	s.version++
	s.changed = s.changed[:0]
	for name := range c.changed { // order: each node has its own place
		i, listed := s.index[name]
		if !listed {
			continue // it is gone, but for its Pods
		}
		have, n := s.nodes[i], c.nodes[name]
		if have.Generation == n.Generation && have.Node() == n.Node() {
			continue
		}
		fresh := n.Snapshot()
		affinity = affinity || len(have.PodsWithAffinity)+len(have.PodsWithRequiredAntiAffinity)+len(fresh.PodsWithAffinity)+
			len(fresh.PodsWithRequiredAntiAffinity) > 0
		s.nodes[i], s.byName[name] = fresh, fresh
		s.changed = append(s.changed, i)
	}
	clear(c.changed)
	if !affinity {
		return
	}
	s.withAffinity, s.withAntiAffinity = nil, nil
	for _, n := range s.nodes {
		s.sortAffinity(n)
	}
}

func (c *Cache) imageStates(node *corev1.Node) map[string]framework.ImageState {
	if len(node.Status.Images) == 0 {
		return nil
	}
	out := map[string]framework.ImageState{}
	for _, img := range node.Status.Images {
		for _, name := range img.Names {
			if s := c.images[name]; s != nil {
				out[name] = framework.ImageState{Size: s.size, NumNodes: len(s.nodes)}
			}
		}
	}
	return out
}

// nodeTree keeps nodes by zone, so that a list of them takes one from each zone
// in turn. Upstream: backend/cache/node_tree.go, nodeTree.
type nodeTree struct {
	zones   []zone // in the order in which they came
	count   int
	version int // grows when a node comes or goes
}

type zone struct {
	name  string
	nodes []string
}

func (t *nodeTree) add(node *corev1.Node) {
	key := zoneKey(node)
	for i := range t.zones {
		if t.zones[i].name == key {
			if !slices.Contains(t.zones[i].nodes, node.Name) {
				t.zones[i].nodes = append(t.zones[i].nodes, node.Name)
				t.count++
				t.version++
			}
			return
		}
	}
	t.zones = append(t.zones, zone{key, []string{node.Name}})
	t.count++
	t.version++
}

func (t *nodeTree) remove(node *corev1.Node) error {
	for i := range t.zones {
		if t.zones[i].name != zoneKey(node) {
			continue
		}
		if j := slices.Index(t.zones[i].nodes, node.Name); j >= 0 {
			t.zones[i].nodes = slices.Delete(t.zones[i].nodes, j, j+1)
			if len(t.zones[i].nodes) == 0 {
				t.zones = slices.Delete(t.zones, i, i+1)
			}
			t.count--
			t.version++
			return nil
		}
	}
	return fmt.Errorf("node %q in group %q was not found", node.Name, zoneKey(node))
}

func (t *nodeTree) update(oldNode, newNode *corev1.Node) {
	if oldNode != nil && zoneKey(oldNode) == zoneKey(newNode) {
		return
	}
	if oldNode != nil {
		_ = t.remove(oldNode) // it may have been unknown
	}
	t.add(newNode)
}

func (t *nodeTree) list() []string {
	out := make([]string, 0, t.count)
	for i := 0; len(out) < t.count; i++ {
		for _, z := range t.zones {
			if i < len(z.nodes) {
				out = append(out, z.nodes[i])
			}
		}
	}
	return out
}

// zoneKey is "" for a node without zone. Upstream: component-helpers/node/topology, GetZoneKey.
func zoneKey(node *corev1.Node) string {
	zone, region := node.Labels[corev1.LabelTopologyZone], node.Labels[corev1.LabelTopologyRegion]
	if zone == "" && region == "" {
		return ""
	}
	return region + ":\x00:" + zone
}
