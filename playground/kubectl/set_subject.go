package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/rbacv1"
)

// setServiceAccount is kubectl set serviceaccount. Upstream: kubectl pkg/cmd/set/set_serviceaccount.go.
func setServiceAccount(s *session) error {
	if len(s.args) == 0 {
		return errors.New("serviceaccount is required")
	}
	last := len(s.args) - 1
	return s.setAll(s.args[:last], "ServiceAccountName", "serviceaccount updated", nil, func(_ *info, spec *corev1.PodSpec) (aggregate, error) {
		spec.ServiceAccountName = s.args[last]
		return nil, nil
	})
}

// setSubject is kubectl set subject, which adds to who a role is bound to. Upstream: kubectl pkg/cmd/set/set_subject.go.
func setSubject(s *session) error {
	infos, err := s.fetched(s.args)
	if err != nil {
		return err
	}
	if s.flags.yes("all") && s.flags.has("selector") {
		return errors.New("cannot set --all and --selector at the same time")
	}
	users, groups, accounts := s.flags.all("user"), s.flags.all("group"), s.flags.all("serviceaccount")
	if len(users)+len(groups)+len(accounts) == 0 {
		return errors.New("you must specify at least one value of user, group or serviceaccount")
	}
	var added []rbacv1.Subject
	for _, user := range unique(users) {
		added = append(added, rbacv1.Subject{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user})
	}
	for _, group := range unique(groups) {
		added = append(added, rbacv1.Subject{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: group})
	}
	for _, account := range unique(accounts) {
		namespace, name, ok := strings.Cut(account, ":")
		if !ok || name == "" || strings.Contains(name, ":") {
			return errors.New("serviceaccount must be <namespace>:<name>")
		}
		for _, i := range infos {
			if _, whole := i.object.(*rbacv1.ClusterRoleBinding); whole && namespace == "" {
				return errors.New("serviceaccount must be <namespace>:<name>, namespace must be specified")
			}
		}
		if namespace == "" {
			namespace = s.namespace
		}
		added = append(added, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name})
	}
	return s.each(infos, func(i *info) error {
		changed := i.object.DeepCopyObject()
		switch binding := changed.(type) {
		case *rbacv1.RoleBinding:
			binding.Subjects = withSubjects(binding.Subjects, added)
		case *rbacv1.ClusterRoleBinding:
			binding.Subjects = withSubjects(binding.Subjects, added)
		default:
			return fmt.Errorf("error: %s/%s setting subjects is only supported for RoleBinding/ClusterRoleBinding\n", i.kind.Resource, i.name)
		}
		after, err := s.change(i, changed, "kubectl-set")
		if err != nil {
			return fmt.Errorf("failed to patch subjects to rolebinding: %v", err)
		}
		if after == nil {
			return nil // as upstream: what is so already is not mentioned
		}
		return s.show(after, i, "subjects updated")
	})
}

func withSubjects(have, added []rbacv1.Subject) []rbacv1.Subject {
	for _, subject := range added {
		if !slices.Contains(have, subject) {
			have = append(have, subject)
		}
	}
	return have
}

// unique is a list in order, each element once.
func unique(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
