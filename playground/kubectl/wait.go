package kubectl

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/jsonpath"
	"kubewalk/playground/controlplane/client"
)

// waitCondition is one --for.
type waitCondition struct {
	deleted, created bool
	condition        string // a condition's type
	path             *jsonpath.JSONPath
	want             string
	any              bool // the path has to lead somewhere
}

// parseWait reads --for. Upstream: kubectl pkg/cmd/wait/wait.go, conditionFuncFor.
func parseWait(text string) (*waitCondition, error) {
	if condition, is := strings.CutPrefix(text, "condition="); is {
		name, status, has := strings.Cut(condition, "=")
		if !has {
			status = "true"
		}
		return &waitCondition{condition: name, want: status}, nil
	}
	if rest, is := strings.CutPrefix(text, "jsonpath="); is {
		const equal = "\x00" // == is no end of the path
		parts := strings.Split(strings.ReplaceAll(rest, "==", equal), "=")
		if len(parts) > 2 {
			return nil, errors.New("jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'")
		}
		if parts[0] == "" {
			return nil, errors.New("jsonpath expression cannot be empty")
		}
		template, err := jsonpath.Relaxed(strings.ReplaceAll(parts[0], equal, "=="))
		if err != nil {
			return nil, err
		}
		out := &waitCondition{any: len(parts) == 1}
		if !out.any {
			if out.want = strings.Trim(strings.ReplaceAll(parts[1], equal, "=="), `'"`); out.want == "" {
				return nil, errors.New("jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3")
			}
			out.want = strings.TrimSpace(out.want)
		}
		out.path, err = jsonpath.Parse(template)
		return out, err
	}
	switch strings.ToLower(text) {
	case "delete":
		return &waitCondition{deleted: true}, nil
	case "create":
		return &waitCondition{created: true}, nil
	}
	return nil, fmt.Errorf("unrecognized condition: %q", text)
}

// runWait is kubectl wait. Upstream: kubectl pkg/cmd/wait/wait.go, RunWaitContext.
func runWait(s *session) error {
	var conditions []*waitCondition
	creation, deletion := false, false
	for _, text := range s.flags.all("for") {
		c, err := parseWait(text)
		if err != nil {
			return err
		}
		conditions, creation, deletion = append(conditions, c), creation || c.created, deletion || c.deleted
	}
	if len(conditions) == 0 {
		return errors.New(`unrecognized condition: []`)
	}
	timeout := 30 * time.Second
	if s.flags.has("timeout") {
		if timeout = s.flags.duration("timeout"); timeout < 0 {
			timeout = 168 * time.Hour
		}
	}
	end := s.p.Now() + timeout
	if creation {
		if err := s.created(end); err != nil {
			return err
		}
	}
	infos, err := s.infos(s.args)
	if err != nil {
		return err
	}
	if len(infos) == 0 && !deletion {
		return errors.New("no matching resources found")
	}
	return s.each(infos, func(i *info) error {
		err := s.fetching(func(i *info) error {
			for _, c := range conditions {
				if err := s.await(i, c, timeout, end); err != nil {
					return err
				}
				s.done(i.said(), "condition met")
			}
			return nil
		})(i)
		if deletion && apierrors.IsNotFound(err) {
			return nil
		}
		return err
	})
}

// created asks again and again for what --for=create is about.
func (s *session) created(end time.Duration) error {
	for ; ; s.p.Sleep(500 * time.Millisecond) {
		infos, err := s.fetched(s.args)
		if err == nil && len(infos) > 0 || err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		if s.p.Now() >= end {
			return errTimeout
		}
	}
}

func (s *session) await(i *info, c *waitCondition, timeout, end time.Duration) error {
	unmet := fmt.Errorf("condition not met for %s/%s", i.kind.Resource, i.name)
	switch {
	case c.created:
		return nil
	case c.deleted && timeout == 0:
		if _, err := s.object(i.request(client.Get)); !apierrors.IsNotFound(err) {
			return cmp.Or(err, unmet)
		}
		return nil
	case timeout > 0 && s.p.Now() >= end && c.deleted:
		return errors.New("client rate limiter Wait returned an error: context deadline exceeded")
	case timeout > 0 && s.p.Now() >= end:
		return s.waited(i, errTimeout)
	case c.deleted:
		return s.untilDeleted(i, string(i.object.GetUID()), end)
	case timeout == 0:
		if ok, err := c.met(tree(i.object)); err != nil || ok {
			return err
		}
		return unmet
	}
	return s.waited(i, s.follow(i, end, func(obj api.Object) (bool, error) {
		if obj == nil {
			return false, apierrors.NewNotFound(i.kind.GroupResource(), i.name)
		}
		return c.met(tree(obj))
	}))
}

// met says whether an object is as it is waited for. A condition that is about
// an older generation than the object's does not count.
// Upstream: kubectl pkg/cmd/wait/condition.go, checkCondition, and json.go.
func (c *waitCondition) met(t map[string]any) (bool, error) {
	if c.path != nil {
		values, err := c.path.Values(t)
		switch {
		case err != nil:
			return false, err
		case len(values) == 0:
			return false, nil
		case len(values) > 1:
			return false, errors.New("given jsonpath expression matches more than one value")
		case c.any:
			return true, nil
		}
		switch values[0].(type) {
		case map[string]any, []any:
			return false, errors.New("jsonpath leads to a nested object or list which is not supported")
		}
		return strings.TrimSpace(jsonpath.Text(values[0])) == c.want, nil
	}
	conditions, _ := at(t, "status", "conditions").([]any)
	for _, item := range conditions {
		if !strings.EqualFold(textAt(item, "type"), c.condition) {
			continue
		}
		generation, has := whole(at(t, "metadata", "generation"))
		observed, known := whole(at(item, "observedGeneration"))
		if !known {
			observed, known = whole(at(t, "status", "observedGeneration"))
		}
		if has && known && observed < generation {
			return false, nil
		}
		return strings.EqualFold(textAt(item, "status"), c.want), nil
	}
	return false, nil
}

// whole is a tree's whole number.
func whole(v any) (int64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return i, err == nil
}
