package quota

import (
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/resource"
)

// The functions on lists leave their arguments as they are.
// Upstream: k8s.io/apiserver/pkg/quota/v1/resources.go, under the same names.

// Equals says that both lists have the same names and amounts.
func Equals(a, b corev1.ResourceList) bool {
	if len(a) != len(b) {
		return false
	}
	for name, x := range a {
		if y, ok := b[name]; !ok || x.Cmp(y) != 0 {
			return false
		}
	}
	return true
}

// LessThanOrEqual says that no amount of a is more than b's of the same name,
// and otherwise for which names it is. What b does not name is no limit.
func LessThanOrEqual(a, b corev1.ResourceList) (bool, []corev1.ResourceName) {
	var exceeded []corev1.ResourceName
	for _, name := range ResourceNames(b) {
		limit := b[name]
		if amount, ok := a[name]; ok && amount.Cmp(limit) > 0 {
			exceeded = append(exceeded, name)
		}
	}
	return len(exceeded) == 0, exceeded
}

// Max is the greater amount of each name.
func Max(a, b corev1.ResourceList) corev1.ResourceList {
	return combine(a, b, func(x *resource.Quantity, y resource.Quantity) {
		if x.Cmp(y) < 0 {
			*x = y
		}
	})
}

// Add is the sum of each name.
func Add(a, b corev1.ResourceList) corev1.ResourceList {
	return combine(a, b, (*resource.Quantity).Add)
}

func combine(a, b corev1.ResourceList, into func(*resource.Quantity, resource.Quantity)) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, x := range a { // order: each name has its own sum
		if y, ok := b[name]; ok {
			into(&x, y)
		}
		out[name] = x
	}
	for name, y := range b {
		if _, ok := out[name]; !ok {
			out[name] = y
		}
	}
	return out
}

// Subtract is a less b of each name; what only b names becomes negative.
func Subtract(a, b corev1.ResourceList) corev1.ResourceList { return subtract(a, b, false) }

// SubtractWithNonNegativeResult is Subtract with 0 for what would be negative.
func SubtractWithNonNegativeResult(a, b corev1.ResourceList) corev1.ResourceList {
	return subtract(a, b, true)
}

func subtract(a, b corev1.ResourceList, atLeastZero bool) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, x := range a { // order: each name has its own sum
		if y, ok := b[name]; ok {
			x.Sub(y)
		}
		if atLeastZero && x.Sign() < 0 {
			x = resource.Quantity{Format: x.Format}
		}
		out[name] = x
	}
	for name, y := range b { // order: each name has its own sum
		if _, ok := out[name]; ok {
			continue
		}
		if atLeastZero {
			y = resource.Quantity{Format: y.Format}
		} else {
			y.Neg()
		}
		out[name] = y
	}
	return out
}

// Mask is what the list says of those names.
func Mask(list corev1.ResourceList, names []corev1.ResourceName) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, q := range list {
		if Contains(names, name) {
			out[name] = q
		}
	}
	return out
}

// ResourceNames are the names of a list, sorted.
func ResourceNames(list corev1.ResourceList) []corev1.ResourceName {
	out := make([]corev1.ResourceName, 0, len(list))
	for name := range list {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// Contains says that the name is among them.
func Contains(names []corev1.ResourceName, name corev1.ResourceName) bool {
	return slices.Contains(names, name)
}

// ContainsPrefix says that the name begins with one of them.
func ContainsPrefix(prefixes []string, name corev1.ResourceName) bool {
	for _, prefix := range prefixes {
		if strings.HasPrefix(string(name), prefix) {
			return true
		}
	}
	return false
}

// Intersection are the names in both, sorted.
func Intersection(a, b []corev1.ResourceName) []corev1.ResourceName {
	return filtered(a, func(name corev1.ResourceName) bool { return Contains(b, name) })
}

func filtered(names []corev1.ResourceName, keep func(corev1.ResourceName) bool) []corev1.ResourceName {
	var out []corev1.ResourceName
	for _, name := range names {
		if keep(name) && !Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// RemoveZeros is the list without amounts of 0.
func RemoveZeros(list corev1.ResourceList) corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, q := range list {
		if !q.IsZero() {
			out[name] = q
		}
	}
	return out
}

// IsNegative are the names whose amount is below 0, sorted.
func IsNegative(list corev1.ResourceList) []corev1.ResourceName {
	return filtered(ResourceNames(list), func(name corev1.ResourceName) bool {
		q := list[name]
		return q.Sign() < 0
	})
}

// PrettyPrint writes a list as refusals do: "pods=1,requests.cpu=500m".
// Upstream: k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go, prettyPrint.
func PrettyPrint(list corev1.ResourceList) string {
	var out strings.Builder
	for i, name := range ResourceNames(list) {
		if i > 0 {
			out.WriteByte(',')
		}
		q := list[name]
		out.WriteString(string(name) + "=" + q.String())
	}
	return out.String()
}
