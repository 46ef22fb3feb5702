// Package history keeps ControllerRevisions: numbered snapshots of what a
// controller's Pods were made from, so that it can go back, and tell which Pods
// are of which version.
//
// A revision's data never changes. Its name ends in a hash of the data; when
// other data has the name already, a collision is counted and the next hash
// differs. Going back to old data gives its revision a new, highest number.
//
// The StatefulSet controller stands on it. Upstream: pkg/controller/history; its
// fake, for tests, is absent: tests here have an API server.
package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"sort"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/runtime"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/sim"
)

// ControllerRevisionHashLabel holds the hash that the name ends in.
const ControllerRevisionHashLabel = "controller.kubernetes.io/hash"

// ControllerRevisionName is a prefix, cut so that it fits, and a hash.
func ControllerRevisionName(prefix, hash string) string {
	const longest = 223
	if len(prefix) > longest {
		prefix = prefix[:longest]
	}
	return prefix + "-" + hash
}

// NewControllerRevision makes a revision of some data, controlled by parent.
// templateLabels become its labels. It has no UID until it is created.
func NewControllerRevision(parent api.Object, parentKind api.GroupVersionKind, templateLabels map[string]string,
	data runtime.RawExtension, revision int64, collisionCount *int32) *appsv1.ControllerRevision {
	cr := &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Labels:          make(map[string]string, len(templateLabels)+1),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(parent, parentKind)},
		},
		Data:     data,
		Revision: revision,
	}
	for k, v := range templateLabels { // order: each fills its own key
		cr.Labels[k] = v
	}
	hash := HashControllerRevision(cr, collisionCount)
	cr.Name = ControllerRevisionName(parent.GetName(), hash)
	cr.Labels[ControllerRevisionHashLabel] = hash
	return cr
}

// HashControllerRevision makes a short text of a revision's data. probe is how
// many collisions there were.
func HashControllerRevision(revision *appsv1.ControllerRevision, probe *int32) string {
	return controller.HashBytes(revision.Data.Raw, probe)
}

// SortControllerRevisions puts the lowest number first; of equals, the oldest, then by name.
func SortControllerRevisions(revisions []*appsv1.ControllerRevision) {
	sort.SliceStable(revisions, func(i, j int) bool {
		a, b := revisions[i], revisions[j]
		if a.Revision != b.Revision {
			return a.Revision < b.Revision
		}
		if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
			return a.CreationTimestamp.Before(&b.CreationTimestamp)
		}
		return a.Name < b.Name
	})
}

// EqualRevision compares what two revisions hold. Nil equals only nil.
func EqualRevision(a, b *appsv1.ControllerRevision) bool {
	if a == nil || b == nil {
		return a == b
	}
	return bytes.Equal(a.Data.Raw, b.Data.Raw)
}

// FindEqualRevisions returns those that hold the same as needle, in their order.
func FindEqualRevisions(revisions []*appsv1.ControllerRevision, needle *appsv1.ControllerRevision) []*appsv1.ControllerRevision {
	var out []*appsv1.ControllerRevision
	for _, r := range revisions {
		if EqualRevision(r, needle) {
			out = append(out, r)
		}
	}
	return out
}

// Interface is how a controller reads and writes its revisions.
type Interface interface {
	// ListControllerRevisions returns those that match and belong to parent, or to nobody.
	ListControllerRevisions(parent api.Object, selector labels.Selector) ([]*appsv1.ControllerRevision, error)
	// CreateControllerRevision creates one. When other data has the name,
	// collisionCount is raised and the next name tried; when the same data has
	// it, that revision is returned.
	CreateControllerRevision(p *sim.Proc, parent api.Object, revision *appsv1.ControllerRevision, collisionCount *int32) (*appsv1.ControllerRevision, error)
	// DeleteControllerRevision deletes one.
	DeleteControllerRevision(p *sim.Proc, revision *appsv1.ControllerRevision) error
	// UpdateControllerRevision gives one a new number.
	UpdateControllerRevision(p *sim.Proc, revision *appsv1.ControllerRevision, newRevision int64) (*appsv1.ControllerRevision, error)
	// AdoptControllerRevision makes parent the controller of one that has none.
	AdoptControllerRevision(p *sim.Proc, parent api.Object, parentKind api.GroupVersionKind, revision *appsv1.ControllerRevision) (*appsv1.ControllerRevision,
		error)
	// ReleaseControllerRevision takes parent off one. It returns nil when that was done, or the revision is gone.
	ReleaseControllerRevision(p *sim.Proc, parent api.Object, revision *appsv1.ControllerRevision) (*appsv1.ControllerRevision, error)
}

// NewHistory reads from a cache and writes through a client.
func NewHistory(c *client.Clientset, lister listers.ControllerRevisionLister) Interface {
	return &realHistory{c, lister}
}

type realHistory struct {
	client *client.Clientset
	lister listers.ControllerRevisionLister
}

func (rh *realHistory) ListControllerRevisions(parent api.Object, selector labels.Selector) ([]*appsv1.ControllerRevision, error) {
	all, err := rh.lister.ControllerRevisions(parent.GetNamespace()).List(selector)
	if err != nil {
		return nil, err
	}
	var owned []*appsv1.ControllerRevision
	for _, r := range all {
		if ref := metav1.GetControllerOfNoCopy(r); ref == nil || ref.UID == parent.GetUID() {
			owned = append(owned, r)
		}
	}
	return owned, nil
}

func (rh *realHistory) CreateControllerRevision(p *sim.Proc, parent api.Object, revision *appsv1.ControllerRevision,
	collisionCount *int32) (*appsv1.ControllerRevision, error) {
	if collisionCount == nil {
		return nil, fmt.Errorf("collisionCount should not be nil")
	}
	revisions := rh.client.AppsV1().ControllerRevisions(parent.GetNamespace())
	for {
		clone := revision.DeepCopy()
		clone.Namespace = parent.GetNamespace()
		hash := HashControllerRevision(revision, collisionCount)
		clone.Name = ControllerRevisionName(parent.GetName(), hash)
		created, err := revisions.Create(p, clone, metav1.CreateOptions{})
		if !apierrors.IsAlreadyExists(err) {
			return created, err
		}
		exists, err := revisions.Get(p, ControllerRevisionName(parent.GetName(), hash), metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if bytes.Equal(exists.Data.Raw, revision.Data.Raw) {
			return exists, nil
		}
		*collisionCount++
		p.Logger().V(2).Info("Found a hash collision for controller revision", "controllerRevision", controller.KObj(exists), "collisionCount", *collisionCount)
	}
}

func (rh *realHistory) UpdateControllerRevision(p *sim.Proc, revision *appsv1.ControllerRevision, newRevision int64) (*appsv1.ControllerRevision, error) {
	if revision.Revision == newRevision {
		return revision, nil
	}
	revisions := rh.client.AppsV1().ControllerRevisions(revision.Namespace)
	for try := 0; ; try++ {
		clone := revision.DeepCopy()
		clone.Revision = newRevision
		updated, err := revisions.Update(p, clone, metav1.UpdateOptions{})
		if !apierrors.IsConflict(err) || try == 4 {
			return updated, err
		}
		if revision, err = revisions.Get(p, revision.Name, metav1.GetOptions{}); err != nil {
			return nil, err
		}
	}
}

func (rh *realHistory) DeleteControllerRevision(p *sim.Proc, revision *appsv1.ControllerRevision) error {
	return rh.client.AppsV1().ControllerRevisions(revision.Namespace).Delete(p, revision.Name, metav1.DeleteOptions{})
}

func (rh *realHistory) AdoptControllerRevision(p *sim.Proc, parent api.Object, parentKind api.GroupVersionKind,
	revision *appsv1.ControllerRevision) (*appsv1.ControllerRevision, error) {
	if owner := metav1.GetControllerOfNoCopy(revision); owner != nil {
		return nil, fmt.Errorf("attempt to adopt revision owned by %v", owner.Name)
	}
	// With the UID, the patch fails on another revision of the same name.
	type meta struct {
		UID             types.UID               `json:"uid"`
		OwnerReferences []metav1.OwnerReference `json:"ownerReferences"`
	}
	patch, err := json.Marshal(struct {
		Metadata meta `json:"metadata"`
	}{meta{revision.UID, []metav1.OwnerReference{*metav1.NewControllerRef(parent, parentKind)}}})
	if err != nil {
		return nil, err
	}
	return rh.client.AppsV1().ControllerRevisions(parent.GetNamespace()).Patch(p, revision.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
}

func (rh *realHistory) ReleaseControllerRevision(p *sim.Proc, parent api.Object, revision *appsv1.ControllerRevision) (*appsv1.ControllerRevision, error) {
	patch, err := controller.GenerateDeleteOwnerRefStrategicMergeBytes(revision.UID, []types.UID{parent.GetUID()})
	if err != nil {
		return nil, err
	}
	released, err := rh.client.AppsV1().ControllerRevisions(revision.Namespace).Patch(p, revision.Name, types.StrategicMergePatchType, patch,
		metav1.PatchOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsInvalid(err) {
		return nil, nil // gone, or released by somebody else
	}
	return released, err
}

// TemplatePatch is what a revision of a Pod template holds: a strategic merge
// patch that puts the whole template back, with its keys sorted, which clients compare and names are made of.
// Upstream: getPatch, in the DaemonSet and in the StatefulSet controller.
func TemplatePatch(template any) ([]byte, error) {
	text, err := json.Marshal(template)
	if err != nil {
		return nil, err
	}
	fields := map[string]any{}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&fields); err != nil {
		return nil, err
	}
	fields["$patch"] = "replace"
	return json.Marshal(map[string]any{"spec": map[string]any{"template": fields}})
}
