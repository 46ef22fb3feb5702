package kubectl

import (
	"errors"
	"fmt"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/labels"
)

// setSelector is kubectl set selector, which is for Services. Upstream: kubectl pkg/cmd/set/set_selector.go.
func setSelector(s *session) error {
	if len(s.args) == 0 {
		return errors.New("one selector is required")
	}
	last := len(s.args) - 1
	selector, err := labels.Parse(s.args[last])
	if err != nil {
		return fmt.Errorf("couldn't parse the selector string \"%s\": %v", s.args[last], err)
	}
	wanted := map[string]string{}
	requirements, _ := selector.Requirements()
	exact := true
	for i := range requirements {
		r := &requirements[i]
		value, only := selector.RequiresExactMatch(r.Key())
		wanted[r.Key()], exact = value, exact && only
	}
	return s.eachFetched(s.args[:last], func(i *info) error {
		service, ok := i.object.DeepCopyObject().(*corev1.Service)
		switch {
		case !ok:
			return errors.New("setting a selector is only supported for Services")
		case !exact:
			return fmt.Errorf("match expression %v not supported on this object", s.args[last])
		}
		service.Spec.Selector = wanted
		after, err := s.change(i, service, "kubectl-set")
		if err != nil {
			return err
		}
		if after == nil {
			after = i.object
		}
		return s.show(after, i, "selector updated")
	})
}
