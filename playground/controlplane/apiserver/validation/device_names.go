package validation

import (
	"encoding/hex"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/api/validate"
)

// What objects of resource.k8s.io have in common. Upstream: pkg/apis/resource/validation/validation.go.

// eachOf checks the items of a list unless there are too many of them; a negative max is no limit. Upstream: validateSlice.
func eachOf[T any](list []T, max int, path *field.Path, check func(item *T, at *field.Path) field.ErrorList) (errs field.ErrorList) {
	if max >= 0 && len(list) > max {
		return field.ErrorList{field.TooMany(path, len(list), max)}
	}
	for i := range list {
		errs = append(errs, check(&list[i], path.Index(i))...)
	}
	return errs
}

// keyed is eachOf for items of which no two have the same key. Upstream: validateSet.
func keyed[T any, K comparable](list []T, max int, path *field.Path, key func(item *T) K,
	check func(item *T, at *field.Path) field.ErrorList) field.ErrorList {
	errs := eachOf(list, max, path, check)
	if max >= 0 && len(list) > max {
		return errs
	}
	seen := map[K]bool{}
	for i := range list {
		k := key(&list[i])
		if seen[k] {
			errs = append(errs, field.Duplicate(path.Index(i), k))
		}
		seen[k] = true
	}
	return errs
}

func itself(s *string) string { return *s }

// validateDriverName is upstream's ValidateCSIDriverName, whose rules are those of drivers of devices.
func validateDriverName(name string, path *field.Path) (errs field.ErrorList) {
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	if len(name) > resourcev1.DriverNameMaxLength {
		errs = append(errs, field.TooLong(path, "", resourcev1.DriverNameMaxLength))
	}
	return append(errs, invalidFor(path, name, validate.IsDNS1123Subdomain(strings.ToLower(name)))...)
}

// notNegative is how upstream says isNonNegative here.
const notNegative = "must be greater than or equal to zero"

// poolNameMax is upstream's PoolNameMaxLength.
const poolNameMax = 253

func validatePoolName(name string, path *field.Path) (errs field.ErrorList) {
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	if len(name) > poolNameMax {
		errs = append(errs, field.TooLong(path, "", poolNameMax))
	}
	for part := range strings.SplitSeq(name, "/") {
		errs = append(errs, invalidFor(path, part, validate.IsDNS1123Subdomain(part))...)
	}
	return errs
}

// validateUID is upstream's function of that name, with uuid.Validate of github.com/google/uuid.
func validateUID(uid string, path *field.Path) field.ErrorList {
	if problem := uuidProblem(uid); problem != "" {
		return field.ErrorList{field.Invalid(path, uid, "error validating uid: "+problem)}
	}
	if len(uid) != 36 || uid != strings.ToLower(uid) {
		return field.ErrorList{field.Invalid(path, uid,
			"uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters")}
	}
	return nil
}

func uuidProblem(s string) string {
	const bad = "invalid UUID format"
	switch len(s) {
	case 36:
	case 36 + 9:
		if !strings.EqualFold(s[:9], "urn:uuid:") {
			return fmt.Sprintf("invalid urn prefix: %q", s[:9])
		}
		s = s[9:]
	case 36 + 2:
		if s[0] != '{' || s[len(s)-1] != '}' {
			return "invalid bracketed UUID format"
		}
		s = s[1 : len(s)-1]
	case 32:
		if _, err := hex.DecodeString(s); err != nil {
			return bad
		}
		return ""
	default:
		return fmt.Sprintf("invalid UUID length: %d", len(s))
	}
	if s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return bad
	}
	if _, err := hex.DecodeString(strings.ReplaceAll(s, "-", "")); err != nil {
		return bad
	}
	return ""
}

// validateQualifiedName is upstream's function of that name, which says nothing of more than one slash.
func validateQualifiedName(name string, path *field.Path) (errs field.ErrorList) {
	parts := strings.Split(name, "/")
	switch len(parts) {
	case 1:
		return validateCIdentifier(name, path)
	case 2:
		if parts[0] == "" {
			errs = append(errs, field.Invalid(path, "", "the domain must not be empty"))
		} else {
			errs = append(errs, validateDriverName(parts[0], path)...)
		}
		if parts[1] == "" {
			errs = append(errs, field.Invalid(path, "", "the name must not be empty"))
		} else {
			errs = append(errs, validateCIdentifier(parts[1], path)...)
		}
	}
	return errs
}

func validateFullyQualifiedName(name resourcev1.FullyQualifiedName, path *field.Path) field.ErrorList {
	errs := validateQualifiedName(string(name), path)
	if !strings.Contains(string(name), "/") {
		errs = append(errs, field.Invalid(path, name, "a fully qualified name must be a domain and a name separated by a slash"))
	}
	return errs
}

func validateCIdentifier(id string, path *field.Path) (errs field.ErrorList) {
	if len(id) > resourcev1.DeviceMaxIDLength {
		errs = append(errs, field.TooLong(path, "", resourcev1.DeviceMaxIDLength))
	}
	good := id != ""
	for i, c := range []byte(id) {
		good = good && (isLetter(c) || c == '_' || i > 0 && isDigit(c))
	}
	if !good {
		errs = append(errs, field.Invalid(path, id, "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric "+
			"characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')"))
	}
	return errs
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// isSemver says that a version is one of semver.org's 2.0.0. Upstream: semverRe.
func isSemver(v string) bool {
	v, build, hasBuild := strings.Cut(v, "+")
	core, pre, hasPre := strings.Cut(v, "-")
	numeric := func(s string) bool {
		_, err := strconv.ParseUint(s, 10, 64)
		digits := s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
		return digits && (s == "0" || s[0] != '0') && (err == nil || len(s) > 18)
	}
	word := func(s string) bool {
		return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r > 127 || r != '-' && !isLetter(byte(r)) && !isDigit(byte(r)) })
	}
	numbers := strings.Split(core, ".")
	if len(numbers) != 3 || slices.ContainsFunc(numbers, func(s string) bool { return !numeric(s) }) {
		return false
	}
	for part := range strings.SplitSeq(pre, ".") {
		onlyDigits := !strings.ContainsFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if hasPre && (!word(part) || onlyDigits && !numeric(part)) {
			return false
		}
	}
	for part := range strings.SplitSeq(build, ".") {
		if hasBuild && !word(part) {
			return false
		}
	}
	return true
}

// validateConditions is upstream's meta/v1/validation/validation.go, ValidateConditions.
func validateConditions(conditions []metav1.Condition, path *field.Path) (errs field.ErrorList) {
	seen := map[string]bool{}
	for i := range conditions {
		c, at := &conditions[i], path.Index(i)
		if seen[c.Type] {
			errs = append(errs, field.Duplicate(at.Child("type"), c.Type))
		}
		seen[c.Type] = true
		errs = append(errs, invalidFor(at.Child("type"), c.Type, validate.IsLabelKey(c.Type))...)
		if statuses := []metav1.ConditionStatus{metav1.ConditionFalse, metav1.ConditionTrue, metav1.ConditionUnknown}; !slices.Contains(statuses, c.Status) {
			errs = append(errs, field.NotSupported(at.Child("status"), string(c.Status), statuses))
		}
		if c.ObservedGeneration < 0 {
			errs = append(errs, field.Invalid(at.Child("observedGeneration"), c.ObservedGeneration, notNegative))
		}
		if c.LastTransitionTime.IsZero() {
			errs = append(errs, field.Required(at.Child("lastTransitionTime"), ""))
		}
		errs = append(errs, validateConditionReason(c.Reason, at.Child("reason"))...)
		if len(c.Message) > 32*1024 {
			errs = append(errs, field.TooLong(at.Child("message"), "", 32*1024))
		}
	}
	return errs
}

func validateConditionReason(reason string, path *field.Path) (errs field.ErrorList) {
	if reason == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	inner := func(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }
	last := reason[len(reason)-1]
	good := isLetter(reason[0]) && inner(last)
	for _, c := range []byte(reason) {
		good = good && (inner(c) || c == ',' || c == ':')
	}
	if !good {
		errs = append(errs, field.Invalid(path, reason, "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric "+
			"characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or "+
			"'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')"))
	}
	if len(reason) > 1024 {
		errs = append(errs, field.TooLong(path, "", 1024))
	}
	return errs
}

// validateInterfaceAddress is upstream's util/validation/ip.go, IsValidInterfaceAddress.
func validateInterfaceAddress(value string, path *field.Path) field.ErrorList {
	at, bits, _ := strings.Cut(value, "/")
	ip, err := netip.ParseAddr(at)
	size, bad := strconv.ParseUint(bits, 10, 8)
	if err != nil || bad != nil || ip.Zone() != "" || int(size) > ip.BitLen() {
		return field.ErrorList{field.Invalid(path, value, "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)")}
	}
	if ip = ip.Unmap(); ip.Is4() && size > 32 {
		size -= 96
	}
	if canonical := fmt.Sprintf("%s/%d", ip, size); value != canonical {
		return field.ErrorList{field.Invalid(path, value, fmt.Sprintf("must be in canonical form (%q)", canonical))}
	}
	return nil
}

// isExtendedResource is upstream's core/v1/helper/helpers.go, IsExtendedResourceName.
func isExtendedResource(name corev1.ResourceName) bool {
	return !isNative(name) && !strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix) &&
		len(validate.IsLabelKey(corev1.DefaultResourceRequestsPrefix+string(name))) == 0
}
