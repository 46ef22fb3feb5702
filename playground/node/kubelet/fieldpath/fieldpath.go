// Package fieldpath reads what a Pod may know of itself: its fields and its
// containers' resources, for environment variables and files.
//
// Upstream: pkg/fieldpath, and pkg/api/v1/resource/helpers.go for resources.
package fieldpath

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
)

// ExtractFieldPathAsString reads a field of a Pod's metadata.
func ExtractFieldPathAsString(pod *corev1.Pod, path string) (string, error) {
	if name, key, ok := splitMaybeSubscriptedPath(path); ok {
		switch name {
		case "metadata.annotations":
			return pod.Annotations[key], nil
		case "metadata.labels":
			return pod.Labels[key], nil
		}
		return "", fmt.Errorf("fieldPath %q does not support subscript", path)
	}
	switch path {
	case "metadata.annotations":
		return formatMap(pod.Annotations), nil
	case "metadata.labels":
		return formatMap(pod.Labels), nil
	case "metadata.name":
		return pod.Name, nil
	case "metadata.namespace":
		return pod.Namespace, nil
	case "metadata.uid":
		return string(pod.UID), nil
	}
	return "", fmt.Errorf("unsupported fieldPath: %v", path)
}

// splitMaybeSubscriptedPath cuts metadata.labels['app'] in two.
func splitMaybeSubscriptedPath(path string) (name, key string, ok bool) {
	inner, ok := strings.CutSuffix(path, "']")
	if !ok {
		return "", "", false
	}
	name, key, ok = strings.Cut(inner, "['")
	return name, key, ok && name != ""
}

// formatMap is a line for each pair, by key: name="value".
func formatMap(m map[string]string) string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	lines := make([]string, len(keys))
	for i, k := range keys {
		lines[i] = k + "=" + strconv.Quote(m[k])
	}
	return strings.Join(lines, "\n")
}

// ExtractContainerResourceValue reads a container's request or limit, in units
// of the divisor, rounded up. A limit that isn't set is what the node can
// allocate. Upstream: ExtractContainerResourceValue and MergeContainerResourceLimits.
func ExtractContainerResourceValue(ref *corev1.ResourceFieldSelector, c *corev1.Container, allocatable corev1.ResourceList) (string, error) {
	kind, name, _ := strings.Cut(ref.Resource, ".")
	list := c.Resources.Requests
	if kind == "limits" {
		list = c.Resources.Limits
	} else if kind != "requests" {
		return "", fmt.Errorf("unsupported container resource : %v", ref.Resource)
	}
	switch corev1.ResourceName(name) {
	case corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
	default:
		if !strings.HasPrefix(name, "hugepages-") {
			return "", fmt.Errorf("unsupported container resource : %v", ref.Resource)
		}
	}
	q, ok := list[corev1.ResourceName(name)]
	if kind == "limits" && (!ok || q.IsZero()) {
		q = allocatable[corev1.ResourceName(name)]
	}
	divisor := ref.Divisor
	if divisor.IsZero() {
		divisor = *resource.NewQuantity(1, resource.DecimalSI)
	}
	a, b := q.Value(), divisor.Value()
	if corev1.ResourceName(name) == corev1.ResourceCPU {
		a, b = q.MilliValue(), divisor.MilliValue()
	}
	return strconv.FormatInt((a+b-1)/max(b, 1), 10), nil
}

// FindContainer returns the container that a resourceFieldRef of a volume names.
func FindContainer(pod *corev1.Pod, name string) (*corev1.Container, error) {
	for _, list := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		if i := slices.IndexFunc(list, func(c corev1.Container) bool { return c.Name == name }); i >= 0 {
			return &list[i], nil
		}
	}
	return nil, fmt.Errorf("container %s not found", name)
}
