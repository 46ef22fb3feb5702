package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/validate"
	"kubewalk/playground/api/x509"
	"kubewalk/playground/controlplane/apiserver/pattern"
)

// ValidateCustomResourceDefinition checks a definition but for its metadata's usual rules.
// Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go, the function of that name. Absent: the
// rules of printer columns, scale paths, selectable fields and defaults, and bundles of CAs. Rules in CEL are compiled elsewhere: see ValidateExpressions.
func ValidateCustomResourceDefinition(crd *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	var errs field.ErrorList
	if crd.Name != crd.Spec.Names.Plural+"."+crd.Spec.Group {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "name"), crd.Name, `must be spec.names.plural+"."+spec.group`))
	}
	errs = append(errs, validateCRDSpec(&crd.Spec, specPath)...)
	return append(errs, validateAPIApproval(crd)...)
}

func validateCRDSpec(spec *apiextensionsv1.CustomResourceDefinitionSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch {
	case spec.Group == "":
		errs = append(errs, field.Required(path.Child("group"), ""))
	case len(validate.IsDNS1123Subdomain(spec.Group)) > 0:
		errs = append(errs, field.Invalid(path.Child("group"), spec.Group, strings.Join(validate.IsDNS1123Subdomain(spec.Group), ",")))
	case !strings.Contains(spec.Group, "."):
		errs = append(errs, field.Invalid(path.Child("group"), spec.Group, "should be a domain with at least one dot"))
	}
	switch spec.Scope {
	case "":
		errs = append(errs, field.Required(path.Child("scope"), ""))
	case apiextensionsv1.ClusterScoped, apiextensionsv1.NamespaceScoped:
	default:
		errs = append(errs, field.NotSupported(path.Child("scope"), string(spec.Scope), []string{"Cluster", "Namespaced"}))
	}
	if spec.PreserveUnknownFields {
		errs = append(errs, field.Invalid(path.Child("preserveUnknownFields"), true, "must be false in order to use defaults in the schema"))
	}
	storage, names := 0, map[string]bool{}
	unique := true
	for i := range spec.Versions {
		v, at := &spec.Versions[i], path.Child("versions").Index(i)
		if v.Storage {
			storage++
		}
		unique = unique && !names[v.Name]
		names[v.Name] = true
		if msgs := NameIsDNS1035Label(v.Name, false); len(msgs) > 0 {
			errs = append(errs, field.Invalid(at.Child("name"), v.Name, strings.Join(msgs, ",")))
		}
		if !v.Deprecated && v.DeprecationWarning != nil {
			errs = append(errs, field.Invalid(at.Child("deprecationWarning"), *v.DeprecationWarning, "can only be set for deprecated versions"))
		}
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			errs = append(errs, field.Required(at.Child("schema", "openAPIV3Schema"), "schemas are required"))
		} else {
			errs = append(errs, validateStructural(v.Schema.OpenAPIV3Schema, at.Child("schema", "openAPIV3Schema"), true)...)
			if !pattern.Known() {
				errs = append(errs, validateWithoutPatterns(v.Schema.OpenAPIV3Schema, at.Child("schema", "openAPIV3Schema"))...)
			}
		}
	}
	if !unique {
		errs = append(errs, field.Invalid(path.Child("versions"), spec.Versions, "must contain unique version names"))
	}
	if storage != 1 {
		errs = append(errs, field.Invalid(path.Child("versions"), spec.Versions, "must have exactly one version marked as storage version"))
	}
	if spec.Names.Plural == "" {
		errs = append(errs, field.Required(path.Child("names", "plural"), ""))
	}
	if spec.Names.Singular == "" {
		errs = append(errs, field.Required(path.Child("names", "singular"), ""))
	}
	if spec.Names.Kind == "" {
		errs = append(errs, field.Required(path.Child("names", "kind"), ""))
	}
	if spec.Names.ListKind == "" {
		errs = append(errs, field.Required(path.Child("names", "listKind"), ""))
	}
	errs = append(errs, validateCRDNames(&spec.Names, path.Child("names"))...)
	if c := spec.Conversion; c != nil {
		errs = append(errs, validateConversion(c, path.Child("conversion"))...)
	}
	return errs
}

// validateConversion is upstream's validateCustomResourceConversion, whose paths are those of the internal type.
func validateConversion(c *apiextensionsv1.CustomResourceConversion, path *field.Path) (errs field.ErrorList) {
	client, versions := path.Child("webhookClientConfig"), path.Child("conversionReviewVersions")
	switch c.Strategy {
	case "":
		errs = append(errs, field.Required(path.Child("strategy"), ""))
	case apiextensionsv1.NoneConverter, apiextensionsv1.WebhookConverter:
	default:
		errs = append(errs, field.NotSupported(path.Child("strategy"), string(c.Strategy), []string{"None", "Webhook"}))
	}
	hook := c.Webhook
	if hook == nil {
		hook = &apiextensionsv1.WebhookConversion{}
	}
	if c.Strategy != apiextensionsv1.WebhookConverter {
		if hook.ClientConfig != nil {
			errs = append(errs, field.Forbidden(client, "should not be set when strategy is not set to Webhook"))
		}
		if len(hook.ConversionReviewVersions) > 0 {
			errs = append(errs, field.Forbidden(versions, "should not be set when strategy is not set to Webhook"))
		}
		return errs
	}
	if hook.ClientConfig == nil {
		errs = append(errs, field.Required(client, "required when strategy is set to Webhook"))
	} else {
		errs = append(errs, validateClientConfig(ConversionClient(hook.ClientConfig), client)...)
	}
	if len(hook.ConversionReviewVersions) == 0 {
		return append(errs, field.Required(versions, ""))
	}
	const known = "v1, v1beta1"
	any := false
	for i, v := range hook.ConversionReviewVersions {
		if slices.Contains(hook.ConversionReviewVersions[:i], v) {
			errs = append(errs, field.Invalid(versions.Index(i), v, "duplicate version"))
			continue
		}
		errs = append(errs, invalidFor(versions.Index(i), v, NameIsDNS1035Label(v, false))...)
		any = any || v == "v1" || v == "v1beta1"
	}
	if !any {
		errs = append(errs, field.Invalid(versions, hook.ConversionReviewVersions, "must include at least one of "+known))
	}
	return errs
}

// bundleOf is by whose certificates a definition's webhook is known.
func bundleOf(crd *apiextensionsv1.CustomResourceDefinition) []byte {
	if c := crd.Spec.Conversion; c != nil && c.Webhook != nil && c.Webhook.ClientConfig != nil {
		return c.Webhook.ClientConfig.CABundle
	}
	return nil
}

// InvalidBundle tells whether nobody can find out who a definition's webhook is. Such a definition may be made, but is not established.
func InvalidBundle(crd *apiextensionsv1.CustomResourceDefinition) bool {
	return x509.CheckBundle(bundleOf(crd)) != nil
}

// ConversionClient is how to reach a conversion webhook, in the words of admission's webhooks.
func ConversionClient(c *apiextensionsv1.WebhookClientConfig) *admissionregistrationv1.WebhookClientConfig {
	out := &admissionregistrationv1.WebhookClientConfig{URL: c.URL, CABundle: c.CABundle}
	if s := c.Service; s != nil {
		out.Service = &admissionregistrationv1.ServiceReference{Namespace: s.Namespace, Name: s.Name, Path: s.Path, Port: s.Port}
	}
	return out
}

// validateCRDNames is upstream's ValidateCustomResourceDefinitionNames.
func validateCRDNames(n *apiextensionsv1.CustomResourceDefinitionNames, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	label := func(at *field.Path, value, prefix, shown string) {
		if msgs := NameIsDNS1035Label(value, false); len(msgs) > 0 {
			errs = append(errs, field.Invalid(at, shown, prefix+strings.Join(msgs, ",")))
		}
	}
	label(path.Child("plural"), n.Plural, "", n.Plural)
	if n.Singular != "" {
		label(path.Child("singular"), n.Singular, "", n.Singular)
	}
	label(path.Child("kind"), strings.ToLower(n.Kind), "may have mixed case, but should otherwise match: ", n.Kind)
	if n.ListKind != "" {
		label(path.Child("listKind"), strings.ToLower(n.ListKind), "may have mixed case, but should otherwise match: ", n.ListKind)
	}
	for i, name := range n.ShortNames {
		label(path.Child("shortNames").Index(i), name, "", name)
	}
	if n.Kind != "" && n.Kind == n.ListKind {
		errs = append(errs, field.Invalid(path.Child("listKind"), n.ListKind, "kind and listKind may not be the same"))
	}
	for i, name := range n.Categories {
		label(path.Child("categories").Index(i), name, "", name)
	}
	return errs
}

// validateAPIApproval keeps Kubernetes' own groups for Kubernetes. Upstream: validateAPIApproval.
func validateAPIApproval(crd *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	group := crd.Spec.Group
	protected := group == "k8s.io" || strings.HasSuffix(group, ".k8s.io") || group == "kubernetes.io" || strings.HasSuffix(group, ".kubernetes.io")
	if !protected || crd.Annotations[apiextensionsv1.KubeAPIApprovedAnnotation] != "" {
		return nil
	}
	return field.ErrorList{field.Required(field.NewPath("metadata", "annotations").Key(apiextensionsv1.KubeAPIApprovedAnnotation),
		`protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`)}
}

// schemaTypes are the types that a structural schema may have.
var schemaTypes = []string{"array", "boolean", "integer", "number", "object", "string"}

// validateStructural says what keeps a schema from being structural.
// Upstream: apiextensions-apiserver/pkg/apiserver/schema/validation.go, ValidateStructural; and validation.go,
// specStandardValidatorV3.validate.
func validateStructural(s *apiextensionsv1.JSONSchemaProps, path *field.Path, root bool) field.ErrorList {
	var errs field.ErrorList
	unsupported := []struct {
		set  bool
		name string
		text string
	}{
		{s.UniqueItems, "uniqueItems", "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"},
		{s.Ref != nil, "$ref", "$ref is not supported"},
		{s.AdditionalItems != nil, "additionalItems", "additionalItems is not supported"},
		{len(s.PatternProperties) > 0, "patternProperties", "patternProperties is not supported"},
		{len(s.Definitions) > 0, "definitions", "definitions is not supported"},
		{len(s.Dependencies) > 0, "dependencies", "dependencies is not supported"},
		{s.ID != "", "id", "id is not supported"},
		{len(s.Properties) > 0 && s.AdditionalProperties != nil, "additionalProperties", "additionalProperties and properties are mutual exclusive"},
	}
	for _, u := range unsupported {
		if u.set {
			errs = append(errs, field.Forbidden(path.Child(u.name), u.text))
		}
	}
	preserves := s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
	switch {
	case s.Type == "" && root:
		errs = append(errs, field.Required(path.Child("type"), "must not be empty at the root"))
	case s.Type == "" && !s.XIntOrString && !preserves:
		errs = append(errs, field.Required(path.Child("type"), "must not be empty for specified object fields"))
	case root && s.Type != "object":
		errs = append(errs, field.Invalid(path.Child("type"), s.Type, "must be object at the root"))
	case s.Type != "" && !slices.Contains(schemaTypes, s.Type):
		errs = append(errs, field.NotSupported(path.Child("type"), s.Type, schemaTypes))
	case s.Type == "array" && (s.Items == nil || s.Items.Schema == nil):
		errs = append(errs, field.Required(path.Child("items"), "must be specified"))
	}
	if s.XIntOrString && s.Type != "" {
		errs = append(errs, field.Invalid(path.Child("type"), s.Type, "must be empty if x-kubernetes-int-or-string is true"))
	}
	if s.XEmbeddedResource && s.Type != "object" {
		errs = append(errs, field.Invalid(path.Child("type"), s.Type, "must be object if x-kubernetes-embedded-resource is true"))
	}
	if s.XListType != nil {
		switch *s.XListType {
		case "atomic", "set":
		case "map":
			if len(s.XListMapKeys) == 0 {
				errs = append(errs, field.Required(path.Child("x-kubernetes-list-map-keys"), "must not be empty if x-kubernetes-list-type is map"))
			}
		default:
			errs = append(errs, field.NotSupported(path.Child("x-kubernetes-list-type"), *s.XListType, []string{"atomic", "map", "set"}))
		}
	}
	for i := range s.XValidations {
		errs = append(errs, validateRule(&s.XValidations[i], path.Child("x-kubernetes-validations").Index(i))...)
	}
	for i, a := range s.Required {
		if slices.Contains(s.Required[:i], a) {
			errs = append(errs, field.Duplicate(path.Child("required").Index(i), a))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if root && (name == "metadata" || name == "apiVersion" || name == "kind") {
			continue
		}
		p := s.Properties[name]
		errs = append(errs, validateStructural(&p, path.Child("properties").Key(name), false)...)
	}
	if s.Items != nil && s.Items.Schema != nil {
		errs = append(errs, validateStructural(s.Items.Schema, path.Child("items"), false)...)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		errs = append(errs, validateStructural(s.AdditionalProperties.Schema, path.Child("additionalProperties"), false)...)
	}
	return errs
}

// validateWithoutPatterns refuses patterns, which a program that knows none would ignore.
func validateWithoutPatterns(s *apiextensionsv1.JSONSchemaProps, path *field.Path) (errs field.ErrorList) {
	if s == nil {
		return nil
	}
	const absent = "patterns are absent here: the control plane that has them could not be loaded"
	if s.Pattern != "" {
		errs = append(errs, field.Forbidden(path.Child("pattern"), absent))
	}
	if pattern.OfFormat(s.Format) != "" {
		errs = append(errs, field.Forbidden(path.Child("format"), absent))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		errs = append(errs, validateWithoutPatterns(&p, path.Child("properties").Key(name))...)
	}
	for _, choices := range []struct {
		name string
		list []apiextensionsv1.JSONSchemaProps
	}{{"allOf", s.AllOf}, {"anyOf", s.AnyOf}, {"oneOf", s.OneOf}} {
		for i := range choices.list {
			errs = append(errs, validateWithoutPatterns(&choices.list[i], path.Child(choices.name).Index(i))...)
		}
	}
	errs = append(errs, validateWithoutPatterns(s.Not, path.Child("not"))...)
	if s.Items != nil {
		errs = append(errs, validateWithoutPatterns(s.Items.Schema, path.Child("items"))...)
	}
	if s.AdditionalProperties != nil {
		errs = append(errs, validateWithoutPatterns(s.AdditionalProperties.Schema, path.Child("additionalProperties"))...)
	}
	return errs
}

// validateRule is what upstream's ValidateCustomResourceDefinitionOpenAPISchema says of a rule before it is compiled.
func validateRule(r *apiextensionsv1.ValidationRule, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	breaks := func(text string) bool { return strings.ContainsAny(text, "\n\r") }
	rule, message := strings.TrimSpace(r.Rule), strings.TrimSpace(r.Message)
	switch {
	case rule == "":
		errs = append(errs, field.Required(path.Child("rule"), "rule is not specified"))
	case r.Message != "" && message == "":
		errs = append(errs, field.Invalid(path.Child("message"), r.Message, "must be non-empty if specified"))
	case breaks(message):
		errs = append(errs, field.Invalid(path.Child("message"), r.Message, "must not contain line breaks"))
	case breaks(rule) && message == "":
		errs = append(errs, field.Required(path.Child("message"), "message must be specified if rule contains line breaks"))
	}
	if r.MessageExpression != "" && strings.TrimSpace(r.MessageExpression) == "" {
		errs = append(errs, field.Required(path.Child("messageExpression"), "messageExpression must be non-empty if specified"))
	}
	errs = append(errs, optional(r.Reason, path.Child("reason"), "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")...)
	if r.FieldPath != "" && strings.TrimSpace(r.FieldPath) == "" {
		errs = append(errs, field.Invalid(path.Child("fieldPath"), r.FieldPath, "must be non-empty if specified"))
	}
	if breaks(r.FieldPath) {
		errs = append(errs, field.Invalid(path.Child("fieldPath"), r.FieldPath, "must not contain line breaks"))
	}
	return errs
}

// rulesIn is where in a schema rules are.
func rulesIn(s *apiextensionsv1.JSONSchemaProps, path *field.Path) []*field.Path {
	if s == nil {
		return nil
	}
	var out []*field.Path
	if len(s.XValidations) > 0 {
		out = append(out, path.Child("x-kubernetes-validations"))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		out = append(out, rulesIn(&p, path.Child("properties").Key(name))...)
	}
	if s.Items != nil {
		out = append(out, rulesIn(s.Items.Schema, path.Child("items"))...)
	}
	if s.AdditionalProperties != nil {
		out = append(out, rulesIn(s.AdditionalProperties.Schema, path.Child("additionalProperties"))...)
	}
	for i := range s.AllOf {
		out = append(out, rulesIn(&s.AllOf[i], path.Child("allOf").Index(i))...)
	}
	return out
}

// ValidateCustomResourceDefinitionUpdate is upstream's function of that name.
func ValidateCustomResourceDefinitionUpdate(crd, old *apiextensionsv1.CustomResourceDefinition) field.ErrorList {
	errs := ValidateCustomResourceDefinition(crd)
	path := specPath
	errs = append(errs, objectmeta.Immutable(crd.Spec.Group, old.Spec.Group, path.Child("group"))...)
	errs = append(errs, objectmeta.Immutable(crd.Spec.Names.Plural, old.Spec.Names.Plural, path.Child("names", "plural"))...)
	established := slices.ContainsFunc(old.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
		return c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	})
	if established {
		errs = append(errs, objectmeta.Immutable(crd.Spec.Scope, old.Spec.Scope, path.Child("scope"))...)
		errs = append(errs, objectmeta.Immutable(crd.Spec.Names.Kind, old.Spec.Names.Kind, path.Child("names", "kind"))...)
	}
	if bundle := bundleOf(crd); established && !InvalidBundle(old) {
		if err := x509.CheckBundle(bundle); err != nil {
			errs = append(errs, field.Invalid(path.Child("conversion", "webhookClientConfig", "caBundle"), bundle, err.Error()))
		}
	}
	for i, v := range crd.Status.StoredVersions {
		has := slices.ContainsFunc(crd.Spec.Versions, func(w apiextensionsv1.CustomResourceDefinitionVersion) bool { return w.Name == v })
		if !has {
			errs = append(errs, field.Invalid(field.NewPath("status", "storedVersions").Index(i), v,
				fmt.Sprintf("missing from spec.versions; %s was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in %s and removes %s from status.storedVersions", v, v, v)))
		}
	}
	return errs
}
