package customresource

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/validate"
	"kubewalk/playground/controlplane/apiserver/pattern"
)

// Validate says what the schema finds wrong in a new object, or in a changed one: what has not changed is not looked at
// again. Its metadata is checked elsewhere.
// Upstream: pkg/registry/customresource/strategy.go, Validate and ValidateUpdate; ratcheting is on since 1.33.
func (r *Resource) Validate(obj, old *api.Unstructured) field.ErrorList {
	c := newChecker()
	before, has := map[string]any(nil), old != nil
	if has {
		before = old.Fields
	}
	c.value(obj.Fields, r.Kind.Schema, "", before, has)
	errs := append(c.errs, r.validateScale(obj)...)
	lists := listErrors(obj.Fields, r.Kind.Schema, nil)
	if has && len(listErrors(old.Fields, r.Kind.Schema, nil)) > 0 {
		lists = nil
	}
	errs = append(errs, lists...)
	return append(errs, r.followsRules(obj, old, errs)...)
}

// followsRules is what the rules in the schema find wrong. They rely on types, so not much may be wrong before.
// Upstream: strategy.go, hasBlockingErr.
func (r *Resource) followsRules(obj, old *api.Unstructured, errs field.ErrorList) field.ErrorList {
	if r.rules == nil {
		return nil
	}
	for _, err := range errs {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return field.ErrorList{field.Invalid(nil, nil,
				"some validation rules were not checked because the object was invalid; correct the existing errors to complete validation")}
		}
	}
	var before map[string]any
	if old != nil {
		before = old.Tree()
	}
	broken, _ := r.rules.Validate(obj.Tree(), before)
	return broken
}

// ValidateStatus looks at a changed status alone.
// Upstream: pkg/registry/customresource/validator.go, ValidateStatusUpdate.
func (r *Resource) ValidateStatus(obj, old *api.Unstructured) field.ErrorList {
	c := newChecker()
	if status, ok := obj.Fields["status"]; ok {
		s := r.Kind.Schema.Properties["status"]
		before, has := old.Fields["status"]
		c.value(status, &s, "status", before, has)
	}
	errs := append(c.errs, r.validateScale(obj)...)
	return append(errs, r.followsRules(obj, old, errs)...)
}

// checker goes through an object with its schema. Paths are the texts that messages show.
// Upstream: kube-openapi/pkg/validation/validate, SchemaValidator, in the order of its validators.
type checker struct {
	errs field.ErrorList
	// Of the first so many errors said says how many bytes they have.
	counted, said int
	enums         map[*apiextensionsv1.JSON]*enumeration // by their first value
}

// mostSaid is after how many bytes of errors a checker looks no further: 50,000 values that are none of 50,000 would take gigabytes.
// Upstream goes on.
const mostSaid = 1 << 20

func (c *checker) saidEnough() bool {
	for ; c.counted < len(c.errs); c.counted++ {
		e := c.errs[c.counted]
		c.said += len(e.Field) + len(e.Detail)
	}
	return c.said > mostSaid
}

// enumeration is what a value may be.
type enumeration struct {
	scalars map[any]bool
	others  []any
	texts   []string // as errors have them
}

// enumerated is s.Enum, looked into once for all values.
func (c *checker) enumerated(s *schema) *enumeration {
	e := c.enums[&s.Enum[0]]
	if e != nil {
		return e
	}
	e = &enumeration{scalars: map[any]bool{}}
	for _, raw := range s.Enum {
		allowed, text := decode(raw.Raw), string(raw.Raw)
		switch v := allowed.(type) {
		case string:
			e.scalars[v], text = true, v
		case map[string]any, []any:
			e.others = append(e.others, v)
		default:
			e.scalars[v] = true
		}
		e.texts = append(e.texts, text)
	}
	c.enums[&s.Enum[0]] = e
	return e
}

func newChecker() *checker { return &checker{enums: map[*apiextensionsv1.JSON]*enumeration{}} }

// place is a path as an error has it: nil for the object itself.
func place(path string) *field.Path {
	if path == "" {
		return nil
	}
	return field.NewPath(path)
}

func (c *checker) invalid(path string, value any, format string, args ...any) {
	c.errs = append(c.errs, field.Invalid(place(path), value, fmt.Sprintf(format, args...)))
}

// value checks one value. before is what was at its place, if has says that there was something.
func (c *checker) value(v any, s *schema, path string, before any, has bool) {
	if s == nil || has && api.SameTree(v, before) || c.saidEnough() {
		return
	}
	if v == nil {
		if types := typesOf(s); len(types) > 0 && !s.Nullable {
			c.wrongType(path, strings.Join(types, ","), "null")
		}
		c.enum(v, s, path)
		return
	}
	if !c.typed(v, s, path) {
		return
	}
	c.combined(v, s, path)
	switch v := v.(type) {
	case string:
		c.text(v, s, path)
	case json.Number:
		c.number(v, s, path)
	case []any:
		c.list(v, s, path, before)
	}
	c.enum(v, s, path)
	if fields, ok := v.(map[string]any); ok {
		c.object(fields, s, path, before)
	}
}

func typesOf(s *schema) []string {
	switch {
	case s.XIntOrString:
		return []string{"integer", "string"}
	case s.Type != "":
		return []string{s.Type}
	}
	return nil
}

func typeOf(v any) string {
	switch v := v.(type) {
	case map[string]any:
		return "object"
	case []any:
		return "array"
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if _, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return "integer"
		}
		return "number"
	}
	return "null"
}

// typed says that the value has the schema's type. Whatever does not is checked no further, where upstream goes on with what
// applies to the type that it has.
func (c *checker) typed(v any, s *schema, path string) bool {
	types, is := typesOf(s), typeOf(v)
	if len(types) == 0 || slices.Contains(types, is) || is == "integer" && slices.Contains(types, "number") {
		return true
	}
	if n, ok := v.(json.Number); ok && slices.Contains(types, "integer") {
		if f, err := n.Float64(); err == nil && f == math.Trunc(f) {
			return true
		}
	}
	c.wrongType(path, strings.Join(types, ","), is)
	return false
}

func (c *checker) wrongType(path, want, is string) {
	c.errs = append(c.errs, field.TypeInvalid(place(path), is, fmt.Sprintf("%s in body must be of type %s: %q", path, want, is)))
}

// combined is allOf, anyOf, oneOf and not. Upstream: schema_props.go, schemaPropsValidator.
func (c *checker) combined(v any, s *schema, path string) {
	try := func(s *schema) field.ErrorList {
		inner := checker{enums: c.enums}
		inner.value(v, s, path, nil, false)
		return inner.errs
	}
	if len(s.AnyOf) > 0 {
		var failed field.ErrorList
		valid := false
		for i := range s.AnyOf {
			errs := try(&s.AnyOf[i])
			if valid = len(errs) == 0; valid {
				break
			}
			if failed == nil {
				failed = errs
			}
		}
		if !valid {
			c.invalid("", "", "%q must validate at least one schema (anyOf)", path)
			c.errs = append(c.errs, failed...)
		}
	}
	if len(s.OneOf) > 0 {
		var failed field.ErrorList
		valid := 0
		for i := range s.OneOf {
			errs := try(&s.OneOf[i])
			if len(errs) == 0 {
				valid++
			} else if failed == nil {
				failed = errs
			}
		}
		switch {
		case valid == 0:
			c.invalid("", "", "%q must validate one and only one schema (oneOf). Found none valid", path)
			c.errs = append(c.errs, failed...)
		case valid > 1:
			c.invalid("", "", "%q must validate one and only one schema (oneOf). Found %d valid alternatives", path, valid)
		}
	}
	if len(s.AllOf) > 0 {
		valid := 0
		for i := range s.AllOf {
			errs := try(&s.AllOf[i])
			if len(errs) == 0 {
				valid++
			}
			c.errs = append(c.errs, errs...)
		}
		if valid < len(s.AllOf) {
			none := ""
			if valid == 0 {
				none = ". None validated"
			}
			c.invalid("", "", "%q must validate all the schemas (allOf)%s", path, none)
		}
	}
	if s.Not != nil && len(try(s.Not)) == 0 {
		c.invalid("", "", "%q must not validate the schema (not)", path)
	}
}

func (c *checker) text(v string, s *schema, path string) {
	length := int64(utf8.RuneCountInString(v))
	switch {
	case s.MaxLength != nil && length > *s.MaxLength:
		c.errs = append(c.errs, field.TooLong(place(path), v, int(*s.MaxLength)))
	case s.MinLength != nil && length < *s.MinLength:
		c.invalid(path, v, "%s in body should be at least %d chars long", path, *s.MinLength)
	case s.Pattern != "":
		if !pattern.Matches(s.Pattern, v) {
			c.invalid(path, v, "%s in body should match '%s'", path, s.Pattern)
		}
	}
	good, form := formats[strings.ReplaceAll(s.Format, "-", "")], pattern.OfFormat(s.Format)
	if good != nil && !good(v) || form != "" && !pattern.Matches(form, v) {
		c.errs = append(c.errs, field.TypeInvalid(place(path), v, fmt.Sprintf("%s in body must be of type %s: %q", path, s.Format, v)))
	}
}

// formats tell whether a text is of a format, by its name without dashes. Some more have patterns; others are not checked.
// Upstream: kube-openapi/pkg/validation/strfmt; pkg/apiserver/validation/formats.go.
var formats = map[string]func(string) bool{
	"date":         parsesAs(time.DateOnly),
	"datetime":     parsesAs(time.RFC3339Nano),
	"duration":     func(v string) bool { _, err := time.ParseDuration(strings.ReplaceAll(v, " ", "")); return err == nil },
	"hostname":     func(v string) bool { return len(validate.IsDNS1123Subdomain(strings.ToLower(v))) == 0 },
	"ipv4":         func(v string) bool { a, err := netip.ParseAddr(v); return err == nil && a.Is4() },
	"ipv6":         func(v string) bool { a, err := netip.ParseAddr(v); return err == nil && a.Is6() },
	"cidr":         func(v string) bool { _, err := netip.ParsePrefix(v); return err == nil },
	"byte":         func(v string) bool { _, err := base64.StdEncoding.DecodeString(v); return err == nil },
	"k8sshortname": func(v string) bool { return len(validate.IsDNS1123Label(v)) == 0 },
	"k8slongname":  func(v string) bool { return len(validate.IsDNS1123Subdomain(v)) == 0 },
}

func parsesAs(layout string) func(string) bool {
	return func(v string) bool { _, err := time.Parse(layout, v); return err == nil }
}

func (c *checker) number(v json.Number, s *schema, path string) {
	n, err := v.Float64()
	if err != nil {
		c.invalid("", "", "invalid type conversion in %s: %v ", path, err)
		return
	}
	if s.Format == "int32" && s.Type == "integer" && (n < math.MinInt32 || n > math.MaxInt32) {
		c.invalid("", "", "Checked value must be of type integer with format int32 in %s", path)
	}
	if m := s.MultipleOf; m != nil && *m > 0 {
		if q := n / *m; q != math.Trunc(q) {
			c.invalid(path, v, "%s in body should be a multiple of %v", path, *m)
		}
	}
	if m := s.Minimum; m != nil && (n < *m || s.ExclusiveMinimum && n == *m) {
		c.invalid(path, v, "%s in body should be greater than %s%s", path, orEqual(s.ExclusiveMinimum), bound(*m, v))
	}
	if m := s.Maximum; m != nil && (n > *m || s.ExclusiveMaximum && n == *m) {
		c.invalid(path, v, "%s in body should be less than %s%s", path, orEqual(s.ExclusiveMaximum), bound(*m, v))
	}
}

func orEqual(exclusive bool) string {
	if exclusive {
		return ""
	}
	return "or equal to "
}

// bound is a limit as a message shows it: as a whole number beside one.
func bound(m float64, v json.Number) string {
	if _, err := strconv.ParseInt(string(v), 10, 64); err == nil && m == math.Trunc(m) && math.Abs(m) < 1<<63 {
		return strconv.FormatInt(int64(m), 10)
	}
	return fmt.Sprint(m)
}

func (c *checker) list(v []any, s *schema, path string, before any) {
	byKey := correlated(s, before)
	for i, item := range v {
		old, has := byKey(item)
		c.value(item, itemsOf(s), path+"["+strconv.Itoa(i)+"]", old, has)
	}
	length := int64(len(v))
	if s.MinItems != nil && length < *s.MinItems {
		c.invalid(path, length, "%s in body should have at least %d items", path, *s.MinItems)
	}
	if s.MaxItems != nil && length > *s.MaxItems {
		c.errs = append(c.errs, field.TooMany(place(path), len(v), int(*s.MaxItems)))
	}
}

// correlated finds what an item was before: only items with keys can be told apart.
// Upstream: apiserver/pkg/cel/common/equality.go, CorrelatedObject.
func correlated(s *schema, before any) func(item any) (any, bool) {
	old, _ := before.([]any)
	if len(old) == 0 || s.XListType == nil || *s.XListType != "map" {
		return func(any) (any, bool) { return nil, false }
	}
	keysOf := func(item any) (string, bool) {
		m, ok := item.(map[string]any)
		keys := make([]any, len(s.XListMapKeys))
		for i, key := range s.XListMapKeys {
			keys[i] = m[key]
		}
		text, err := json.Marshal(keys)
		return string(text), ok && err == nil
	}
	byKeys := make(map[string]any, len(old))
	for _, o := range slices.Backward(old) { // the first counts
		if keys, ok := keysOf(o); ok {
			byKeys[keys] = o
		}
	}
	return func(item any) (any, bool) {
		keys, ok := keysOf(item)
		o, has := byKeys[keys]
		return o, ok && has
	}
}

func (c *checker) enum(v any, s *schema, path string) {
	if len(s.Enum) == 0 {
		return
	}
	e, among := c.enumerated(s), false
	switch v.(type) {
	case map[string]any, []any:
		among = slices.ContainsFunc(e.others, func(allowed any) bool { return api.SameTree(allowed, v) })
	default:
		among = e.scalars[v]
	}
	if !among {
		c.errs = append(c.errs, field.NotSupported(place(path), v, e.texts))
	}
}

func (c *checker) object(v map[string]any, s *schema, path string, before any) {
	count := int64(len(v))
	if path == "" {
		count += 3 // apiVersion, kind and metadata
	}
	if s.MinProperties != nil && count < *s.MinProperties {
		c.invalid(path, count, "%s in body should have at least %d properties", path, *s.MinProperties)
	}
	if s.MaxProperties != nil && count > *s.MaxProperties {
		c.errs = append(c.errs, field.TooMany(place(path), int(count), int(*s.MaxProperties)))
	}
	old, _ := before.(map[string]any)
	below := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	values, _ := additional(s)
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if _, regular := s.Properties[name]; !regular && values != nil {
			was, has := old[name]
			c.value(v[name], values, below(name), was, has)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if item, there := v[name]; there {
			prop := s.Properties[name]
			was, has := old[name]
			c.value(item, &prop, below(name), was, has)
		}
	}
	for _, name := range s.Required {
		if _, there := v[name]; !there && !(path == "" && isMeta(name)) {
			c.errs = append(c.errs, field.Required(place(below(name)), ""))
		}
	}
}
