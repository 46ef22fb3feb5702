package kubectl

import (
	"fmt"
	"sort"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/client"
	"kubewalk/playground/sim"
)

// Deletion is what kubectl delete is told.
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

// cascades are the words that --cascade takes, and what they ask the server for.
// Upstream: kubectl pkg/cmd/util/helpers.go, GetCascadingStrategy.
var cascades = map[string]metav1.DeletionPropagation{
	"":           metav1.DeletePropagationBackground,
	"background": metav1.DeletePropagationBackground,
	"foreground": metav1.DeletePropagationForeground,
	"orphan":     metav1.DeletePropagationOrphan,
}

// Delete is kubectl delete: a DELETE of what is named, or a LIST and then a
// DELETE of each object that it returned.
//
// Upstream: kubectl pkg/cmd/delete/delete.go, RunDelete.
func (c Command) Delete(p *sim.Proc, d Deletion) (string, error) {
	k, namespace, err := find(d.Resource, d.Namespace)
	if err != nil {
		return "", err
	}
	policy, ok := cascades[d.Cascade]
	if !ok {
		return "", fmt.Errorf("error: invalid cascade value (%s). Must be \"background\", \"foreground\", or \"orphan\"", d.Cascade)
	}
	names := []string{d.Name}
	prefix, oldest := strings.CutSuffix(d.Name, "*")
	bySelector := d.Name == ""
	if bySelector || oldest {
		found, err := c.list(p, k, namespace, d.Selector, d.FieldSelector)
		if err != nil {
			return "", err
		}
		names = nil
		for _, obj := range found {
			names = append(names, obj.GetName())
		}
		if oldest {
			name := first(found, prefix)
			if name == "" {
				return "", fmt.Errorf("No resources found in %s namespace.", namespace)
			}
			names = []string{name}
		}
	}
	var said []string
	for _, name := range names {
		_, err := c.transport.Do(p, &client.Request{
			Verb: client.Delete, Resource: k.GroupVersionResource(), Namespace: namespace, Name: name,
			Delete: metav1.DeleteOptions{GracePeriodSeconds: d.Grace, PropagationPolicy: &policy},
		})
		switch {
		case bySelector && apierrors.IsNotFound(err): // --ignore-not-found is the default with selectors
		case err != nil:
			return strings.Join(said, "\n"), words(err, "")
		default:
			said = append(said, deleted(k, namespace, name))
		}
	}
	if len(said) == 0 {
		return "No resources found", nil
	}
	return strings.Join(said, "\n"), nil
}

func deleted(k *api.Kind, namespace, name string) string {
	if namespace == "" {
		return fmt.Sprintf("%s %q deleted", resourceName(k), name)
	}
	return fmt.Sprintf("%s %q deleted from %s namespace", resourceName(k), name, namespace)
}

func (c Command) list(p *sim.Proc, k *api.Kind, namespace, labels, fields string) ([]api.Object, error) {
	got, err := c.transport.Do(p, &client.Request{
		Verb: client.List, Resource: k.GroupVersionResource(), Namespace: namespace,
		List: metav1.ListOptions{LabelSelector: labels, FieldSelector: fields},
	})
	if err != nil {
		return nil, words(err, "")
	}
	return got.(api.List).GetItems(), nil
}

// first is the name of the oldest object that is not being deleted yet, of
// those whose name begins with the prefix.
func first(objects []api.Object, prefix string) string {
	var match []api.Object
	for _, obj := range objects {
		if strings.HasPrefix(obj.GetName(), prefix) && obj.GetDeletionTimestamp() == nil {
			match = append(match, obj)
		}
	}
	if len(match) == 0 {
		return ""
	}
	sort.Slice(match, func(i, j int) bool {
		ti, tj := match[i].GetCreationTimestamp(), match[j].GetCreationTimestamp()
		if !ti.Time.Equal(tj.Time) {
			return ti.Time.Before(tj.Time)
		}
		return match[i].GetName() < match[j].GetName()
	})
	return match[0].GetName()
}
