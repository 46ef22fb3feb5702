package admission

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/quota"
	"kubewalk/playground/controlplane/store"
	"kubewalk/playground/sim"
)

// resourceQuota refuses what would use more than a namespace's quotas allow, and writes down what it lets pass: two
// requests at once can't both take the last piece, since the second finds a quota that has changed.
//
// What is written down before something else refuses the request stays until the resource quota controller counts again.
// Upstream: apiserver/pkg/admission/plugin/resourcequota/admission.go and controller.go, quotaEvaluator.
type resourceQuota struct {
	store *store.Store
	tried try
}

// try is what the last write made of a version of a quota. Of requests that come at once, with what a ReplicaSet creates, all but one find
// that somebody else was faster, and all begin again with the same version; what each adds is mostly the same, too. So it is
// calculated once. One of them writes it, and the others drop it.
type try struct {
	current, next *corev1.ResourceQuota
	delta         corev1.ResourceList
}

func (*resourceQuota) Name() string { return "ResourceQuota" }

// Validate is upstream's quotaEvaluator.Evaluate.
func (r *resourceQuota) Validate(p *sim.Proc, a *Attributes) error {
	if a.Operation == Delete || a.Namespace == "" || a.Object == nil || a.Kind.Resource == "namespaces" {
		return nil
	}
	quotas := r.store.At("resourcequotas", a.Namespace, r.store.Revision())
	if len(quotas) == 0 {
		return nil
	}
	e := quota.EvaluatorFor(a.Kind.GroupResource())
	if !e.Handles(quota.Operation(a.Operation), a.Subresource, a.Object, a.OldObject) {
		return nil
	}
	// All have to agree before anything is taken from one.
	var interesting []*corev1.ResourceQuota
	delta, err := r.deltaUsage(p, a, e)
	if err != nil {
		return err
	}
	for _, obj := range quotas {
		q := obj.(*corev1.ResourceQuota)
		applies, err := r.applies(a, e, q)
		if err != nil {
			return err
		}
		if !applies {
			continue
		}
		if _, err := checkRequest(a, q, delta); err != nil {
			return err
		}
		interesting = append(interesting, q)
	}
	if len(delta) == 0 || a.DryRun {
		return nil
	}
	for _, q := range interesting {
		if err := r.commit(p, a, q, delta); err != nil {
			return err
		}
	}
	return nil
}

// applies says that a quota is about the object, and checks that it can be. Upstream: controller.go, CheckRequest.
func (r *resourceQuota) applies(a *Attributes, e quota.Evaluator, q *corev1.ResourceQuota) (bool, error) {
	match, err := quota.Matches(q, e, a.Object)
	if err != nil || !match {
		return false, err
	}
	restricted := e.MatchingResources(quota.ResourceNames(q.Status.Hard))
	if err := e.Constraints(restricted, a.Object); err != nil {
		return false, a.forbidden(fmt.Errorf("failed quota: %s: %v", q.Name, err))
	}
	for _, name := range restricted {
		if _, counted := q.Status.Used[name]; !counted {
			return false, a.forbidden(fmt.Errorf("status unknown for quota: %s, resources: %s", q.Name, joined(restricted)))
		}
	}
	return true, nil
}

// deltaUsage is what the request uses more than before.
func (r *resourceQuota) deltaUsage(p *sim.Proc, a *Attributes, e quota.Evaluator) (corev1.ResourceList, error) {
	usage := e.Usage(a.Object, p.Time())
	if negative := quota.IsNegative(usage); len(negative) > 0 {
		return nil, a.forbidden(errors.New("quota usage is negative for resource(s): " + joined(negative)))
	}
	if a.Operation == Update && a.OldObject != nil {
		usage = quota.SubtractWithNonNegativeResult(usage, e.Usage(a.OldObject, p.Time()))
	}
	return quota.RemoveZeros(usage), nil
}

// checkRequest is what a quota's usage becomes, or why it can't.
func checkRequest(a *Attributes, q *corev1.ResourceQuota, delta corev1.ResourceList) (corev1.ResourceList, error) {
	requested := quota.Mask(delta, quota.ResourceNames(q.Status.Hard))
	used := quota.Add(q.Status.Used, requested)
	masked := quota.Mask(used, quota.ResourceNames(requested))
	if allowed, exceeded := quota.LessThanOrEqual(masked, q.Status.Hard); !allowed {
		return nil, a.forbidden(fmt.Errorf("exceeded quota: %s, requested: %s, used: %s, limited: %s", q.Name,
			quota.PrettyPrint(quota.Mask(requested, exceeded)), quota.PrettyPrint(quota.Mask(q.Status.Used, exceeded)),
			quota.PrettyPrint(quota.Mask(q.Status.Hard, exceeded))))
	}
	return used, nil
}

// commit writes the new usage into the quota's status, of whatever version that is by now.
// Upstream: controller.go, quotaEvaluator.checkQuotas, which tries three times.
func (r *resourceQuota) commit(p *sim.Proc, a *Attributes, q *corev1.ResourceQuota, delta corev1.ResourceList) error {
	key := store.Key{Resource: "resourcequotas", Namespace: q.Namespace, Name: q.Name}
	written, err := r.store.GuaranteedUpdate(p, key, func(current api.Object) (api.Object, error) {
		now := current.(*corev1.ResourceQuota)
		if r.tried.current == now && maps.Equal(r.tried.delta, delta) {
			return r.tried.next, nil
		}
		used, err := checkRequest(a, now, delta)
		if err != nil {
			return nil, err
		}
		next := *now // but for the status, nobody changes what both share
		next.Status.Used = used
		r.tried = try{now, &next, delta}
		return &next, nil
	})
	if err == store.ErrNotFound {
		return nil // it was deleted meanwhile
	}
	if written == api.Object(r.tried.next) {
		r.tried = try{} // nobody is to write it again
	}
	return err
}

func joined(names []corev1.ResourceName) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = string(name)
	}
	return strings.Join(list, ",")
}
