package garbagecollector

import (
	"cmp"
	"slices"

	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/api/types"
)

// objectReference names an object: what an owner reference says, and where.
type objectReference struct {
	APIVersion, Kind, Name string
	UID                    types.UID
	Namespace              string
}

// String is upstream's form: "[apps/v1/ReplicaSet, namespace: default, name: web, uid: …]".
func (r objectReference) String() string {
	return "[" + r.APIVersion + "/" + r.Kind + ", namespace: " + r.Namespace + ", name: " + r.Name + ", uid: " + string(r.UID) + "]"
}

// node is an object in the graph. A virtual one is known only from references
// to it: no informer has shown it yet.
//
// Invariant: n is in the dependents of the node of each of its owners.
// Upstream: graph.go, node.
type node struct {
	identity objectReference
	owners   []metav1.OwnerReference
	// dependents are those that refer to this node, by identity.
	dependents map[types.UID]*node
	// deletingDependents: it is being deleted in the foreground.
	deletingDependents bool
	// beingDeleted: it has a deletion timestamp.
	beingDeleted bool
	virtual      bool
}

// String is the node's key in the queues. The UID tells two objects apart that
// bear a name one after the other.
func (n *node) String() string { return n.identity.key() }

func (r objectReference) key() string {
	name := r.Name
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return r.Kind + " " + name + " " + string(r.UID)
}

// ownersText lists the owners as the log shows them.
func (n *node) ownersText() string {
	out := ""
	for i, ref := range n.owners {
		if i > 0 {
			out += ", "
		}
		out += ref.Kind + " " + ref.Name + " " + string(ref.UID)
		if isTrue(ref.BlockOwnerDeletion) {
			out += " (blocks)"
		}
	}
	return out
}

// getDependents lists the dependents by kind, namespace, name and UID.
func (n *node) getDependents() []*node {
	out := make([]*node, 0, len(n.dependents))
	for _, dep := range n.dependents {
		out = append(out, dep)
	}
	slices.SortFunc(out, func(a, b *node) int {
		return cmp.Or(cmp.Compare(a.identity.Kind, b.identity.Kind), cmp.Compare(a.identity.Namespace, b.identity.Namespace),
			cmp.Compare(a.identity.Name, b.identity.Name), cmp.Compare(a.identity.UID, b.identity.UID))
	})
	return out
}

// blockingDependents are those that keep the node from going in the foreground.
func (n *node) blockingDependents() []*node {
	var out []*node
	for _, dep := range n.getDependents() {
		for _, owner := range dep.owners {
			if owner.UID == n.identity.UID && isTrue(owner.BlockOwnerDeletion) {
				out = append(out, dep)
				break
			}
		}
	}
	return out
}

func isTrue(b *bool) bool { return b != nil && *b }

// matches tells whether a reference, found in an object of that namespace,
// means the object that identity names and not only its UID.
func (r objectReference) matches(ref metav1.OwnerReference, namespace string) bool {
	return r.UID == ref.UID && r.APIVersion == ref.APIVersion && r.Kind == ref.Kind && r.Name == ref.Name &&
		(r.Namespace == "" || r.Namespace == namespace)
}

// partitionDependents tells those dependents which mean exactly that owner from
// those which know it, in part at least, by other coordinates.
// Upstream: graph_builder.go, partitionDependents.
func partitionDependents(dependents []*node, owner objectReference) (matching, nonmatching []*node) {
	for _, dep := range dependents {
		match, mismatch := false, false
		for _, ref := range dep.owners {
			if ref.UID == owner.UID {
				if owner.matches(ref, dep.identity.Namespace) {
					match = true
				} else {
					mismatch = true
				}
			}
		}
		if match && !mismatch {
			matching = append(matching, dep)
		} else {
			nonmatching = append(nonmatching, dep)
		}
	}
	return matching, nonmatching
}

// getAlternateOwnerIdentity finds other coordinates by which dependents know an
// owner that was not found: the next in their order behind those that were tried,
// so that all get their turn; nil when there are none.
// Upstream: graph_builder.go, getAlternateOwnerIdentity.
func getAlternateOwnerIdentity(dependents []*node, absent objectReference,
	namespaceFor func(ref metav1.OwnerReference, dependent string) string) *objectReference {
	var known []objectReference
	for _, dep := range dependents {
		for _, ref := range dep.owners {
			r := objectReference{ref.APIVersion, ref.Kind, ref.Name, ref.UID, namespaceFor(ref, dep.identity.Namespace)}
			if ref.UID == absent.UID && r != absent && !slices.Contains(known, r) {
				known = append(known, r)
			}
		}
	}
	if len(known) == 0 {
		return nil
	}
	sorting.Func(known, compareReferences)
	for i := range known {
		if compareReferences(known[i], absent) > 0 {
			return &known[i]
		}
	}
	return &known[0]
}

func compareReferences(a, b objectReference) int {
	return cmp.Or(cmp.Compare(a.UID, b.UID), cmp.Compare(a.APIVersion, b.APIVersion), cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

type ownerRefPair struct{ old, new metav1.OwnerReference }

// referencesDiffs compares two lists of references by UID, in their order.
func referencesDiffs(old, cur []metav1.OwnerReference) (added, removed []metav1.OwnerReference, changed []ownerRefPair) {
	find := func(list []metav1.OwnerReference, uid types.UID) *metav1.OwnerReference {
		for i := range list {
			if list[i].UID == uid {
				return &list[i]
			}
		}
		return nil
	}
	for _, ref := range cur {
		if before := find(old, ref.UID); before == nil {
			added = append(added, ref)
		} else if !sameReference(*before, ref) {
			changed = append(changed, ownerRefPair{*before, ref})
		}
	}
	for _, ref := range old {
		if find(cur, ref.UID) == nil {
			removed = append(removed, ref)
		}
	}
	return added, removed, changed
}

func sameReference(a, b metav1.OwnerReference) bool {
	return a.APIVersion == b.APIVersion && a.Kind == b.Kind && a.Name == b.Name && a.UID == b.UID &&
		isTrue(a.Controller) == isTrue(b.Controller) && isTrue(a.BlockOwnerDeletion) == isTrue(b.BlockOwnerDeletion)
}

// referenceCache remembers owners that were found absent, the newest 500, so
// that a hundred dependents of one owner ask for it once.
// Upstream: uid_cache.go, ReferenceCache.
type referenceCache struct {
	known map[objectReference]bool
	order []objectReference
}

const referenceCacheSize = 500

func newReferenceCache() *referenceCache { return &referenceCache{known: map[objectReference]bool{}} }

func (c *referenceCache) add(r objectReference) {
	if c.known[r] {
		return
	}
	c.known[r] = true
	c.order = append(c.order, r)
	if len(c.order) > referenceCacheSize {
		delete(c.known, c.order[0])
		c.order = c.order[1:]
	}
}

func (c *referenceCache) has(r objectReference) bool { return c.known[r] }
