package validation

import (
	"maps"
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/validate"
)

// ValidateNode checks a Node but for its metadata. Upstream: core/validation/validation.go, ValidateNode.
func ValidateNode(node *corev1.Node) field.ErrorList {
	errs := validateTaints(node.Spec.Taints, field.NewPath("spec", "taints"))
	for _, list := range []struct {
		child string
		of    corev1.ResourceList
	}{{"capacity", node.Status.Capacity}, {"allocatable", node.Status.Allocatable}} {
		for _, name := range slices.Sorted(maps.Keys(list.of)) {
			errs = append(errs, validateResourceQuantityValue(name, list.of[name], field.NewPath("status", list.child).Key(string(name)))...)
		}
	}
	for i, cidr := range node.Spec.PodCIDRs {
		errs = append(errs, IsValidCIDR(field.NewPath("spec", "podCIDRs").Index(i), cidr)...)
	}
	return errs
}

// ValidateNodeUpdate checks what changed in a Node. Upstream: ValidateNodeUpdate.
func ValidateNodeUpdate(node, old *corev1.Node) field.ErrorList {
	errs := ValidateNode(node)
	if old.Spec.ProviderID != "" && old.Spec.ProviderID != node.Spec.ProviderID {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "providerID"), "node updates may not change providerID except from \"\" to valid"))
	}
	if old.Spec.PodCIDR != "" && old.Spec.PodCIDR != node.Spec.PodCIDR {
		errs = append(errs, field.Forbidden(field.NewPath("spec", "podCIDRs"), "node updates may not change podCIDR except from \"\" to valid"))
	}
	seen := map[corev1.NodeAddress]bool{}
	for i, a := range node.Status.Addresses {
		if seen[a] {
			errs = append(errs, field.Duplicate(field.NewPath("status", "addresses").Index(i), a))
		}
		seen[a] = true
	}
	return errs
}

func validateTaints(taints []corev1.Taint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	type pair struct {
		key    string
		effect corev1.TaintEffect
	}
	seen := map[pair]bool{}
	for i := range taints {
		t, at := &taints[i], path.Index(i)
		errs = append(errs, invalidFor(at.Child("key"), t.Key, validate.IsLabelKey(t.Key))...)
		errs = append(errs, invalidFor(at.Child("value"), t.Value, validate.IsLabelValue(t.Value))...)
		errs = append(errs, oneOf(t.Effect, at.Child("effect"), corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule,
			corev1.TaintEffectNoExecute)...)
		if seen[pair{t.Key, t.Effect}] {
			duplicate := field.Duplicate(at, *t)
			duplicate.Detail = "taints must be unique by key and effect pair"
			errs = append(errs, duplicate)
		}
		seen[pair{t.Key, t.Effect}] = true
	}
	return errs
}

// maxSecretSize bounds ConfigMaps and Secrets, in bytes.
const maxSecretSize = 1024 * 1024

const configKeyMsg = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

// configKey returns what is wrong with a key that may become a file's name. Upstream: util/validation, IsConfigMapKey.
func configKey(key string) []string {
	var errs []string
	if len(key) > validate.SubdomainMaxLength {
		errs = append(errs, "must be no more than 253 characters")
	}
	bad := key == ""
	for i := range len(key) {
		c := key[i]
		bad = bad || !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_' || c == '.')
	}
	switch {
	case bad:
		errs = append(errs, configKeyMsg)
	case key == "." || key == "..":
		errs = append(errs, "must not be '"+key+"'")
	case key[0] == '.' && len(key) > 1 && key[1] == '.':
		errs = append(errs, "must not start with '..'")
	}
	return errs
}

// ValidateConfigMap is upstream's core/validation/validation.go, ValidateConfigMap.
func ValidateConfigMap(cm *corev1.ConfigMap) field.ErrorList {
	var errs field.ErrorList
	size := 0
	for _, key := range slices.Sorted(maps.Keys(cm.Data)) {
		errs = append(errs, invalidFor(field.NewPath("data").Key(key), key, configKey(key))...)
		if _, both := cm.BinaryData[key]; both {
			errs = append(errs, field.Invalid(field.NewPath("data").Key(key), key, "duplicate of key present in binaryData"))
		}
		size += len(cm.Data[key])
	}
	for _, key := range slices.Sorted(maps.Keys(cm.BinaryData)) {
		errs = append(errs, invalidFor(field.NewPath("binaryData").Key(key), key, configKey(key))...)
		size += len(cm.BinaryData[key])
	}
	if size > maxSecretSize {
		errs = append(errs, field.TooLong(field.NewPath(""), "", maxSecretSize))
	}
	return errs
}

const immutableIsSet = "field is immutable when `immutable` is set"

// ValidateConfigMapUpdate is upstream's ValidateConfigMapUpdate.
func ValidateConfigMapUpdate(cm, old *corev1.ConfigMap) field.ErrorList {
	var errs field.ErrorList
	if old.Immutable != nil && *old.Immutable {
		if cm.Immutable == nil || !*cm.Immutable {
			errs = append(errs, field.Forbidden(field.NewPath("immutable"), immutableIsSet))
		}
		if !maps.Equal(cm.Data, old.Data) {
			errs = append(errs, field.Forbidden(field.NewPath("data"), immutableIsSet))
		}
		if !maps.EqualFunc(cm.BinaryData, old.BinaryData, slices.Equal) {
			errs = append(errs, field.Forbidden(field.NewPath("binaryData"), immutableIsSet))
		}
	}
	return append(errs, ValidateConfigMap(cm)...)
}

// ValidateSecret is upstream's ValidateSecret.
func ValidateSecret(s *corev1.Secret) field.ErrorList {
	var errs field.ErrorList
	size := 0
	for _, key := range slices.Sorted(maps.Keys(s.Data)) {
		errs = append(errs, invalidFor(field.NewPath("data").Key(key), key, configKey(key))...)
		size += len(s.Data[key])
	}
	if size > maxSecretSize {
		errs = append(errs, field.TooLong(field.NewPath("data"), "", maxSecretSize))
	}
	return append(errs, validateSecretType(s)...)
}

// ValidateSecretUpdate is upstream's ValidateSecretUpdate.
func ValidateSecretUpdate(s, old *corev1.Secret) field.ErrorList {
	errs := objectmeta.Immutable(s.Type, old.Type, field.NewPath("type"))
	if old.Immutable != nil && *old.Immutable {
		if s.Immutable == nil || !*s.Immutable {
			errs = append(errs, field.Forbidden(field.NewPath("immutable"), immutableIsSet))
		}
		if !maps.EqualFunc(s.Data, old.Data, slices.Equal) {
			errs = append(errs, field.Forbidden(field.NewPath("data"), immutableIsSet))
		}
	}
	return append(errs, ValidateSecret(s)...)
}
