package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/jsonpath"
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
	lower := strings.ToLower(text)
	switch {
	case lower == "delete":
		return &waitCondition{deleted: true}, nil
	case lower == "create":
		return &waitCondition{created: true}, nil
	case strings.HasPrefix(lower, "condition="):
		name, status, has := strings.Cut(text[len("condition="):], "=")
		if !has {
			status = "true"
		}
		return &waitCondition{condition: name, want: status}, nil
	case strings.HasPrefix(lower, "jsonpath="):
		format := errors.New("jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'")
		rest := text[len("jsonpath="):]
		path, want, has := rest, "", false
		if end := strings.LastIndex(rest, "}="); end >= 0 {
			path, want, has = rest[:end+1], rest[end+2:], true
		}
		if path == "" || has && strings.TrimSpace(want) == "" {
			return nil, format
		}
		template, err := jsonpath.Relaxed(strings.Trim(path, `'"`))
		if err != nil {
			return nil, err
		}
		j, err := jsonpath.Parse(template)
		if err != nil {
			return nil, err
		}
		return &waitCondition{path: j, want: strings.Trim(strings.TrimSpace(want), `'"`), any: !has}, nil
	}
	return nil, fmt.Errorf("unrecognized condition: %q", text)
}

// runWait is kubectl wait. Upstream: kubectl pkg/cmd/wait/wait.go, RunWaitContext.
func runWait(s *session) error {
	var conditions []*waitCondition
	creation := false
	for _, text := range s.flags.all("for") {
		c, err := parseWait(text)
		if err != nil {
			return err
		}
		conditions, creation = append(conditions, c), creation || c.created
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
	infos, err := s.awaited(creation, end)
	if err != nil {
		return err
	}
	deletion := conditions[0].deleted
	if len(infos) == 0 && !deletion {
		return errors.New("no matching resources found")
	}
	for _, i := range infos {
		for _, c := range conditions {
			if err := s.await(i, c, timeout, end); err != nil {
				return err
			}
			s.done(i.said(), "condition met")
		}
	}
	return nil
}

// awaited finds the objects that are waited for. With --for=create it asks again and again.
func (s *session) awaited(creation bool, end time.Duration) ([]*info, error) {
	for ; ; s.p.Sleep(500 * time.Millisecond) {
		infos, err := s.infos(s.args)
		if err != nil {
			return nil, err
		}
		var there []*info
		for _, i := range infos {
			if i.object == nil {
				_, err = s.read(i, false)
			}
			if err == nil {
				there = append(there, i)
			} else if !apierrors.IsNotFound(err) || !creation && !strings.EqualFold(s.flags.text("for"), "delete") {
				return nil, err
			}
		}
		if !creation || len(there) > 0 {
			return there, nil
		}
		if s.p.Now() >= end {
			return nil, errTimeout
		}
	}
}

func (s *session) await(i *info, c *waitCondition, timeout, end time.Duration) error {
	switch {
	case c.created:
		return nil
	case c.deleted:
		return s.untilDeleted(i, string(i.object.GetUID()), end)
	case timeout == 0:
		if ok, err := c.met(tree(i.object)); err != nil || ok {
			return err
		}
		return fmt.Errorf("condition not met for %s", i.said())
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
