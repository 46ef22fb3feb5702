package kubectl

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/policyrule"
	"kubewalk/playground/api/rbacv1"
	"kubewalk/playground/controlplane/client"
)

// authReconcile is kubectl auth reconcile. Upstream: kubectl pkg/cmd/auth/reconcile.go, ReconcileOptions.RunReconcile.
func authReconcile(s *session) error {
	switch {
	case !s.flags.has("filename"):
		return errors.New("must specify one of -f and -k")
	case len(s.args) > 0:
		return errors.New("no arguments are allowed")
	case s.dryRun == "server":
		return errors.New("--dry-run=server for command reconcile is not supported yet")
	}
	var doc any
	if err := decode(s.stdin, &doc); err != nil {
		return fmt.Errorf("error parsing %s: error converting YAML to JSON: %v", s.file, jsonError(s.stdin, err))
	}
	homeless := namespaces(doc)
	infos, err := s.manifests()
	if err != nil {
		return err
	}
	n := -1
	return s.each(infos, func(i *info) error {
		// Nothing is asked of the server about kinds, so what names no namespace has none.
		if n++; homeless[n] == "" {
			i.namespace = ""
		}
		expected := newReconciled(i)
		if expected == nil {
			return nil
		}
		if _, err := api.DecodeInto(encode(i.tree), expected.object); err != nil {
			return fmt.Errorf("unable to decode %q: %v", i.source, err)
		}
		expected.object.SetNamespace(i.namespace)
		var result reconciliation
		for range 3 {
			if result, err = s.reconcile(i, expected, 0); !apierrors.IsConflict(err) {
				break
			}
		}
		if err != nil {
			return err
		}
		return s.showReconciled(i, result)
	})
}

// namespaces are those that the objects of manifests name.
func namespaces(doc any) (out []string) {
	list, _ := doc.([]any)
	if m, ok := doc.(map[string]any); ok {
		if list, ok = m["items"].([]any); !ok {
			return []string{textAt(m, "metadata", "namespace")}
		}
	}
	for _, d := range list {
		out = append(out, namespaces(d)...)
	}
	return out
}

// reconciled is a role or a binding, and where it has what is reconciled.
// Upstream: component-helpers/auth/rbac/reconciliation, RuleOwner and RoleBinding.
type reconciled struct {
	object      api.Object
	rules       *[]rbacv1.PolicyRule
	aggregation **rbacv1.AggregationRule // of ClusterRoles
	subjects    *[]rbacv1.Subject
	roleRef     *rbacv1.RoleRef
}

// newReconciled is an empty one of the kind; nil for kinds that are left alone.
func newReconciled(i *info) *reconciled {
	if i.kind.Group != rbacv1.GroupName {
		return nil
	}
	return reconciledOf(i.kind.New())
}

func reconciledOf(obj api.Object) *reconciled {
	switch o := obj.(type) {
	case *rbacv1.Role:
		return &reconciled{object: o, rules: &o.Rules}
	case *rbacv1.ClusterRole:
		return &reconciled{object: o, rules: &o.Rules, aggregation: &o.AggregationRule}
	case *rbacv1.RoleBinding:
		return &reconciled{object: o, subjects: &o.Subjects, roleRef: &o.RoleRef}
	case *rbacv1.ClusterRoleBinding:
		return &reconciled{object: o, subjects: &o.Subjects, roleRef: &o.RoleRef}
	}
	return nil
}

// reconciliation is what was done, or would be.
type reconciliation struct {
	object                        api.Object
	operation                     string // "" for none
	protected                     bool
	missingRules, extraRules      []rbacv1.PolicyRule
	missingSubjects, extraSubject []rbacv1.Subject
}

// reconcile makes an object of the server's grant what the expected one does.
// Upstream: reconcile_role.go, ReconcileRoleOptions.run; reconcile_rolebindings.go, ReconcileRoleBindingOptions.run.
func (s *session) reconcile(i *info, expected *reconciled, attempts int) (reconciliation, error) {
	if limit := 2; attempts > limit && expected.rules != nil || attempts > limit+1 {
		return reconciliation{}, errors.New("exceeded maximum attempts")
	}
	var result reconciliation
	existing, err := s.object(i.request(client.Get))
	switch {
	case apierrors.IsNotFound(err):
		result = reconciliation{object: expected.object, operation: "create"}
		if expected.rules != nil {
			result.missingRules = *expected.rules
		} else {
			result.missingSubjects = *expected.subjects
		}
	case err != nil:
		return result, err
	case expected.rules != nil:
		result = s.reconciledRole(reconciledOf(existing), expected)
	default:
		result = s.reconciledBinding(reconciledOf(existing), expected)
	}
	if result.protected || s.dryRun == "client" {
		return result, nil
	}
	switch result.operation {
	case "recreate":
		r := i.request(client.Delete)
		uid := existing.GetUID()
		r.Delete = metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}
		_, err := s.do(r)
		if apierrors.IsConflict(err) {
			return s.reconcile(i, expected, attempts+1)
		}
		if err != nil && !apierrors.IsNotFound(err) {
			return result, err
		}
		fallthrough
	case "create":
		if i.kind.Namespaced {
			if err := s.ensureNamespace(i.namespace); err != nil {
				return result, err
			}
		}
		r := i.request(client.Create)
		r.Name, r.Object, r.FieldManager = "", result.object, "kubectl"
		created, err := s.object(r)
		if apierrors.IsAlreadyExists(err) {
			return s.reconcile(i, expected, attempts+1)
		}
		if err != nil {
			return result, err
		}
		result.object = created
	case "update":
		r := i.request(client.Update)
		r.Object, r.FieldManager = result.object, "kubectl"
		updated, err := s.object(r)
		if apierrors.IsNotFound(err) {
			return s.reconcile(i, expected, attempts+1)
		}
		if err != nil {
			return result, err
		}
		result.object = updated
	}
	return result, nil
}

// ensureNamespace creates a namespace that is missing, and lets it be if that is forbidden.
// Upstream: reconciliation/namespace.go, tryEnsureNamespace.
func (s *session) ensureNamespace(name string) error {
	if name == "" {
		return errors.New("resource name may not be empty")
	}
	k := api.KindOf(&corev1.Namespace{})
	_, err := s.do(&client.Request{Verb: client.Get, Resource: k.GroupVersionResource(), Name: name})
	if err == nil || !apierrors.IsNotFound(err) && !apierrors.IsForbidden(err) {
		return err
	}
	_, err = s.do(&client.Request{Verb: client.Create, Resource: k.GroupVersionResource(), FieldManager: "kubectl",
		Object: &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}})
	if apierrors.IsAlreadyExists(err) || apierrors.IsForbidden(err) {
		return nil
	}
	return err
}

// described is a copy of an object with the labels and annotations of both.
func described(existing, expected *reconciled) (*reconciled, reconciliation) {
	is := reconciledOf(existing.object.DeepCopyObject())
	result := reconciliation{object: is.object, protected: existing.object.GetAnnotations()[rbacv1.AutoUpdateAnnotationKey] == "false"}
	is.object.SetAnnotations(joined(expected.object.GetAnnotations(), is.object.GetAnnotations()))
	is.object.SetLabels(joined(expected.object.GetLabels(), is.object.GetLabels()))
	if !maps.Equal(is.object.GetAnnotations(), existing.object.GetAnnotations()) || !maps.Equal(is.object.GetLabels(), existing.object.GetLabels()) {
		result.operation = "update"
	}
	return is, result
}

// joined has the keys of both; the second's values count. Upstream: reconcile_role.go, merge.
func joined(a, b map[string]string) map[string]string {
	if a == nil {
		return b
	}
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// reconciledRole is upstream's computeReconciledRole.
func (s *session) reconciledRole(existing, expected *reconciled) reconciliation {
	is, result := described(existing, expected)
	removes := s.flags.yes("remove-extra-permissions")
	var has, wants *rbacv1.AggregationRule
	if existing.aggregation != nil {
		has, wants = *existing.aggregation, *expected.aggregation
	}
	if has == nil || wants == nil {
		_, result.extraRules = policyrule.Covers(*expected.rules, *existing.rules)
	}
	_, result.missingRules = policyrule.Covers(*existing.rules, *expected.rules)
	switch {
	case !removes && len(result.missingRules) > 0:
		*is.rules = append(*is.rules, result.missingRules...)
		result.operation = "update"
	case removes && len(result.missingRules)+len(result.extraRules) > 0:
		*is.rules = *expected.rules
		result.operation = "update"
	}
	missing, extra := uncovered(has, wants), uncovered(wants, has)
	switch {
	case wants == nil && has != nil:
		*is.aggregation = nil
		result.operation = "update"
	case !removes && len(missing) > 0:
		if *is.aggregation == nil {
			*is.aggregation = new(rbacv1.AggregationRule)
		}
		(*is.aggregation).ClusterRoleSelectors = append((*is.aggregation).ClusterRoleSelectors, missing...)
		result.operation = "update"
	case removes && len(missing)+len(extra) > 0:
		*is.aggregation = wants
		result.operation = "update"
	}
	return result
}

// uncovered are the selectors of a rule that the owner's has not. Upstream: aggregationRuleCovers.
func uncovered(owner, rule *rbacv1.AggregationRule) (out []metav1.LabelSelector) {
	if rule == nil {
		return nil
	}
	for _, selector := range rule.ClusterRoleSelectors {
		same := func(other metav1.LabelSelector) bool { return api.SemanticDeepEqual(other, selector) }
		if owner == nil || !slices.ContainsFunc(owner.ClusterRoleSelectors, same) {
			out = append(out, selector)
		}
	}
	return out
}

// reconciledBinding is upstream's computeReconciledRoleBinding.
func (s *session) reconciledBinding(existing, expected *reconciled) reconciliation {
	is, result := described(existing, expected)
	if *expected.roleRef != *existing.roleRef {
		result.object, result.operation = expected.object, "recreate"
		return result
	}
	result.missingSubjects = only(*expected.subjects, *existing.subjects)
	result.extraSubject = only(*existing.subjects, *expected.subjects)
	removes := s.flags.yes("remove-extra-subjects")
	switch {
	case !removes && len(result.missingSubjects) > 0:
		*is.subjects = append(*is.subjects, result.missingSubjects...)
		result.operation = "update"
	case removes && len(result.missingSubjects)+len(result.extraSubject) > 0:
		*is.subjects = *expected.subjects
		result.operation = "update"
	}
	return result
}

// only are those of the first list that are not in the second. Upstream: diffSubjectLists.
func only(list, others []rbacv1.Subject) (out []rbacv1.Subject) {
	for _, one := range list {
		if !slices.Contains(others, one) && !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}

// showReconciled is upstream's printResults.
func (s *session) showReconciled(i *info, r reconciliation) error {
	if err := s.show(r.object, i, "reconciled"); err != nil || r.operation == "" {
		return err
	}
	caveat := ""
	if r.protected {
		caveat = ", but object opted out (rbac.authorization.kubernetes.io/autoupdate: false)"
	}
	s.complain(fmt.Sprintf("\treconciliation required %s%s", r.operation, caveat))
	tell(s, "missing subjects added", r.missingSubjects, true)
	tell(s, "extra subjects removed", r.extraSubject, s.flags.yes("remove-extra-subjects"))
	tell(s, "missing rules added", r.missingRules, true)
	tell(s, "extra rules removed", r.extraRules, s.flags.yes("remove-extra-permissions"))
	return nil
}

func tell[T any](s *session, what string, list []T, is bool) {
	if !is || len(list) == 0 {
		return
	}
	s.complain("\t" + what + ":")
	for _, one := range list {
		s.complain(fmt.Sprintf("\t\t%+v", one))
	}
}
