package kubectl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/sorting"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// Deletion is what kubectl delete is told by somebody who presses a button.
type Deletion struct {
	Resource, Namespace string
	// Name is one object's. One that ends in * takes the oldest object whose
	// name begins so: names of Pods are made up by the server. It is "" when
	// selectors say which.
	Name string
	// Selector (-l) and FieldSelector take all that match.
	Selector, FieldSelector string
	// Cascade is "background", which "" is too, "foreground" or "orphan".
	Cascade string
	Grace   *int64 // seconds; nil leaves it to the object
}

// Delete is kubectl delete --wait=false.
func (c Command) Delete(p *sim.Proc, d Deletion) Result {
	args := inNamespace(d.Namespace, "delete", d.Resource, "--wait=false")
	prefix, oldest := strings.CutSuffix(d.Name, "*")
	for flag, value := range map[string]string{"--selector": d.Selector, "--field-selector": d.FieldSelector, "--cascade": d.Cascade} { // order: flags have none
		if value != "" {
			args = append(args, flag+"="+value)
		}
	}
	if d.Grace != nil {
		args = append(args, fmt.Sprintf("--grace-period=%d", *d.Grace))
		if *d.Grace == 0 {
			args = append(args, "--force")
		}
	}
	if d.Name != "" && !oldest {
		args = slices.Insert(args, 2, d.Name)
	}
	inv, err := parse(args)
	if err != nil {
		return Result{Stderr: err.Error(), Failed: true}
	}
	if oldest {
		inv.flags["oldest"] = []string{prefix}
	}
	return c.run(p, inv, nil)
}

// cascades are the words that --cascade takes, and what they ask the server for.
// Upstream: kubectl pkg/cmd/util/helpers.go, GetCascadingStrategy.
var cascades = map[string]metav1.DeletionPropagation{
	"background": metav1.DeletePropagationBackground,
	"true":       metav1.DeletePropagationBackground,
	"foreground": metav1.DeletePropagationForeground,
	"orphan":     metav1.DeletePropagationOrphan,
	"false":      metav1.DeletePropagationOrphan,
}

func (s *session) cascade() (*metav1.DeletionPropagation, error) {
	word := s.flags.or("cascade", "background")
	policy, ok := cascades[word]
	if !ok {
		return nil, fmt.Errorf("invalid cascade value (%s). Must be \"background\", \"foreground\", or \"orphan\"", word)
	}
	return &policy, nil
}

// gracePeriod is what the grace period comes to with --now and --force; -1 leaves it to the object.
// Upstream: kubectl pkg/cmd/delete/delete.go, Complete and Validate.
func (s *session) gracePeriod() (int64, error) {
	grace := s.flags.number("grace-period", -1)
	force := s.flags.yes("force")
	if s.flags.yes("now") {
		if grace != -1 {
			return 0, errors.New("--now and --grace-period cannot be specified together")
		}
		grace = 1
	}
	if grace == 0 && !force {
		grace = 1 // so that nobody loses data by accident
	}
	if force && grace < 0 {
		grace = 0
	}
	switch {
	case grace == 0 && force:
		s.warn("Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.")
	case grace > 0 && force:
		return 0, errors.New("--force and --grace-period greater than 0 cannot be specified together")
	}
	return grace, nil
}

// runDelete is kubectl delete: a DELETE of what is named, or a LIST and then a
// DELETE of each object in it; then it waits until they are gone.
// Upstream: kubectl pkg/cmd/delete/delete.go, DeleteOptions.RunDelete.
func runDelete(s *session) error {
	if o := s.flags.text("output"); o != "" && o != "name" {
		return fmt.Errorf("unexpected -o output mode: %v. We only support '-o name'", o)
	}
	if path := s.flags.text("raw"); path != "" {
		return s.rawRequest("DELETE", path)
	}
	policy, err := s.cascade()
	if err != nil {
		return err
	}
	grace, err := s.gracePeriod()
	if err != nil {
		return err
	}
	infos, err := s.doomed()
	if err != nil {
		return err
	}
	ignore := s.flags.yes("ignore-not-found") ||
		!s.flags.has("ignore-not-found") && (s.flags.yes("all") || s.flags.has("selector") || s.flags.has("field-selector"))
	options := metav1.DeleteOptions{PropagationPolicy: policy}
	if grace >= 0 {
		options.GracePeriodSeconds = &grace
	}
	warned := !s.flags.yes("all-namespaces") && !s.enforced
	var deleted []*info
	uids := map[*info]string{}
	err = s.each(infos, func(i *info) error {
		if !i.kind.Namespaced && !warned {
			s.warn("deleting cluster-scoped resources, not scoped to the provided namespace")
			warned = true
		}
		uid, err := s.delete(i, options)
		if ignore && apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil && i.source != "" {
			return &sourceError{"deleting", i.source, err}
		}
		if err != nil {
			return err
		}
		deleted, uids[i] = append(deleted, i), uid
		s.sayDeleted(i, grace)
		return nil
	})
	if err != nil {
		return err
	}
	if len(infos) == 0 {
		s.printf("No resources found\n")
		return nil
	}
	if !s.flags.yesOr("wait", true) || s.dryRun != "" {
		return nil
	}
	timeout := s.flags.duration("timeout")
	if timeout == 0 {
		timeout = 168 * time.Hour
	}
	end := s.p.Now() + timeout
	return s.each(deleted, func(i *info) error { return s.untilDeleted(i, uids[i], end) })
}

// doomed are the objects that are to be deleted.
func (s *session) doomed() ([]*info, error) {
	if !s.flags.has("oldest") {
		return s.infos(s.args)
	}
	k, err := s.kindNamed(s.args[0])
	if err != nil {
		return nil, err
	}
	found, err := s.items(k, s.in(k), "", "")
	if err != nil {
		return nil, err
	}
	name := Oldest(found, s.flags.text("oldest"))
	if name == "" {
		s.complain(fmt.Sprintf("No resources found in %s namespace.", s.namespace))
		return nil, errExit
	}
	return []*info{{kind: k, namespace: s.in(k), name: name}}, nil
}

// delete asks for the end of an object, and returns its UID.
func (s *session) delete(i *info, options metav1.DeleteOptions) (uid string, err error) {
	if s.dryRun == "client" {
		return "", nil
	}
	r := i.request(client.Delete)
	r.Delete = options
	got, err := s.do(r)
	if err != nil {
		return "", err
	}
	switch got := got.(type) {
	case *metav1.Status:
		if got.Details != nil {
			uid = string(got.Details.UID)
		}
	case api.Object:
		uid = string(got.GetUID())
	}
	return uid, nil
}

func (s *session) sayDeleted(i *info, grace int64) {
	if s.flags.text("output") == "name" {
		s.printf("%s\n", i.said())
		return
	}
	did := "deleted"
	if grace == 0 {
		did = "force deleted"
	}
	if i.namespace != "" {
		did += " from " + i.namespace + " namespace"
	}
	switch s.dryRun {
	case "client":
		did += " (dry run)"
	case "server":
		did += " (server dry run)"
	}
	s.printf("%s %q %s\n", resourceName(i.kind), i.name, did)
}

// Oldest is the name of the oldest object that is not being deleted yet, of
// those whose name begins with the prefix; "" when there is none.
func Oldest(objects []api.Object, prefix string) string {
	var match []api.Object
	for _, obj := range objects {
		if strings.HasPrefix(obj.GetName(), prefix) && obj.GetDeletionTimestamp() == nil {
			match = append(match, obj)
		}
	}
	if len(match) == 0 {
		return ""
	}
	sorting.Func(match, func(a, b api.Object) int {
		ta, tb := a.GetCreationTimestamp(), b.GetCreationTimestamp()
		if n := ta.Time.Compare(tb.Time); n != 0 {
			return n
		}
		return strings.Compare(a.GetName(), b.GetName())
	})
	return match[0].GetName()
}
