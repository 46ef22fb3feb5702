package validation

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/admissionregistrationv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/validate"
)

// The rules of admissionregistration.k8s.io. Expressions have to be there; they are compiled elsewhere: see ValidateExpressions.
// Upstream: pkg/apis/admissionregistration/validation/validation.go.

// Webhook is what the two kinds of webhooks share.
type Webhook struct {
	Name                              string
	ClientConfig                      *admissionregistrationv1.WebhookClientConfig
	Rules                             []admissionregistrationv1.RuleWithOperations
	FailurePolicy                     *admissionregistrationv1.FailurePolicyType
	MatchPolicy                       *admissionregistrationv1.MatchPolicyType
	NamespaceSelector, ObjectSelector *metav1.LabelSelector
	SideEffects                       *admissionregistrationv1.SideEffectClass
	TimeoutSeconds                    *int32
	AdmissionReviewVersions           []string
	ReinvocationPolicy                *admissionregistrationv1.ReinvocationPolicyType
	MatchConditions                   []admissionregistrationv1.MatchCondition
}

// WebhooksOf are the webhooks of a configuration of either kind.
func WebhooksOf(configuration api.Object) (out []Webhook) {
	switch c := configuration.(type) {
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		for i := range c.Webhooks {
			h := &c.Webhooks[i]
			out = append(out, Webhook{
				Name: h.Name, ClientConfig: &h.ClientConfig, Rules: h.Rules, FailurePolicy: h.FailurePolicy, MatchPolicy: h.MatchPolicy,
				NamespaceSelector: h.NamespaceSelector, ObjectSelector: h.ObjectSelector, SideEffects: h.SideEffects, TimeoutSeconds: h.TimeoutSeconds,
				AdmissionReviewVersions: h.AdmissionReviewVersions, MatchConditions: h.MatchConditions,
			})
		}
	case *admissionregistrationv1.MutatingWebhookConfiguration:
		for i := range c.Webhooks {
			h := &c.Webhooks[i]
			out = append(out, Webhook{
				Name: h.Name, ClientConfig: &h.ClientConfig, Rules: h.Rules, FailurePolicy: h.FailurePolicy, MatchPolicy: h.MatchPolicy,
				NamespaceSelector: h.NamespaceSelector, ObjectSelector: h.ObjectSelector, SideEffects: h.SideEffects, TimeoutSeconds: h.TimeoutSeconds,
				AdmissionReviewVersions: h.AdmissionReviewVersions, ReinvocationPolicy: h.ReinvocationPolicy, MatchConditions: h.MatchConditions,
			})
		}
	}
	return out
}

// ValidateWebhooks is upstream's validateValidatingWebhookConfiguration and validateMutatingWebhookConfiguration.
func ValidateWebhooks(hooks []Webhook) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i := range hooks {
		h, at := &hooks[i], field.NewPath("webhooks").Index(i)
		errs = append(errs, validateWebhook(h, at)...)
		errs = append(errs, validateReviewVersions(h.AdmissionReviewVersions, at.Child("admissionReviewVersions"))...)
		if h.Name != "" && names[h.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), h.Name))
		}
		names[h.Name] = true
	}
	return errs
}

func validateWebhook(h *Webhook, path *field.Path) field.ErrorList {
	errs := fullyQualified(path.Child("name"), h.Name)
	for i := range h.Rules {
		errs = append(errs, validateRuleWithOperations(&h.Rules[i], path.Child("rules").Index(i), true)...)
	}
	errs = append(errs, optional(h.FailurePolicy, path.Child("failurePolicy"), "Fail", "Ignore")...)
	errs = append(errs, optional(h.MatchPolicy, path.Child("matchPolicy"), "Equivalent", "Exact")...)
	if h.SideEffects == nil {
		errs = append(errs, field.Required(path.Child("sideEffects"), "must specify one of None, NoneOnDryRun"))
	} else {
		errs = append(errs, optional(h.SideEffects, path.Child("sideEffects"), "None", "NoneOnDryRun")...)
	}
	if t := h.TimeoutSeconds; t != nil && (*t < 1 || *t > 30) {
		errs = append(errs, field.Invalid(path.Child("timeoutSeconds"), *t, "the timeout value must be between 1 and 30 seconds"))
	}
	if h.NamespaceSelector != nil {
		errs = append(errs, ValidateLabelSelector(h.NamespaceSelector, path.Child("namespaceSelector"))...)
	}
	if h.ObjectSelector != nil {
		errs = append(errs, ValidateLabelSelector(h.ObjectSelector, path.Child("objectSelector"))...)
	}
	errs = append(errs, optional(h.ReinvocationPolicy, path.Child("reinvocationPolicy"), "IfNeeded", "Never")...)
	errs = append(errs, validateClientConfig(h.ClientConfig, path.Child("clientConfig"))...)
	return append(errs, validateMatchConditions(h.MatchConditions, path.Child("matchConditions"))...)
}

// fullyQualified is upstream's util/validation, IsFullyQualifiedName.
func fullyQualified(path *field.Path, name string) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	if msgs := validate.IsDNS1123Subdomain(name); len(msgs) > 0 {
		return field.ErrorList{field.Invalid(path, name, strings.Join(msgs, ","))}
	}
	if strings.Count(name, ".") < 2 {
		return field.ErrorList{field.Invalid(path, name, "should be a domain with at least three segments separated by dots")}
	}
	return nil
}

// optional checks a value that may be absent.
func optional[T ~string](value *T, path *field.Path, supported ...T) field.ErrorList {
	if value == nil || slices.Contains(supported, *value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(path, string(*value), supported)}
}

func validateReviewVersions(versions []string, path *field.Path) field.ErrorList {
	const known = "v1, v1beta1"
	if len(versions) == 0 {
		return field.ErrorList{field.Required(path, "must specify one of "+known)}
	}
	var errs field.ErrorList
	any := false
	for i, v := range versions {
		if slices.Contains(versions[:i], v) {
			errs = append(errs, field.Invalid(path.Index(i), v, "duplicate version"))
			continue
		}
		errs = append(errs, invalidFor(path.Index(i), v, NameIsDNS1035Label(v, false))...)
		any = any || v == "v1" || v == "v1beta1"
	}
	if !any {
		errs = append(errs, field.Invalid(path, versions, "must include at least one of "+known))
	}
	return errs
}

// validateClientConfig is how to reach a webhook. Upstream: apiserver/pkg/util/webhook/validation.go.
func validateClientConfig(c *admissionregistrationv1.WebhookClientConfig, path *field.Path) field.ErrorList {
	if (c.URL == nil) == (c.Service == nil) {
		return field.ErrorList{field.Required(path, "exactly one of url or service is required")}
	}
	if c.URL != nil {
		return validateWebhookURL(*c.URL, path.Child("url"))
	}
	var errs field.ErrorList
	s, path := c.Service, path.Child("service")
	if s.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	if s.Namespace == "" {
		errs = append(errs, field.Required(path.Child("namespace"), ""))
	}
	if s.Port != nil && (*s.Port < 1 || *s.Port > 65535) {
		errs = append(errs, field.Invalid(path.Child("port"), *s.Port, "port is not valid: "+inclusiveRange(1, 65535)))
	}
	if s.Path != nil {
		errs = append(errs, validateWebhookPath(*s.Path, path.Child("path"))...)
	}
	return errs
}

func validateWebhookPath(url string, path *field.Path) (errs field.ErrorList) {
	switch url {
	case "", "/":
		return nil
	case "//":
		return field.ErrorList{field.Invalid(path, url, "segment[0] may not be empty")}
	}
	if !strings.HasPrefix(url, "/") {
		errs = append(errs, field.Invalid(path, url, "must start with a '/'"))
	}
	for i, segment := range strings.Split(strings.TrimSuffix(url[1:], "/"), "/") {
		if segment == "" {
			errs = append(errs, field.Invalid(path, url, fmt.Sprintf("segment[%d] may not be empty", i)))
			continue
		}
		for _, why := range validate.IsDNS1123Subdomain(segment) {
			errs = append(errs, field.Invalid(path, url, fmt.Sprintf("segment[%d]: %v", i, why)))
		}
	}
	return errs
}

func validateWebhookURL(url string, path *field.Path) field.ErrorList {
	const form = "; desired format: https://host[/path]"
	scheme, rest, ok := strings.Cut(url, "://")
	if !ok {
		scheme, rest = "", url
	}
	var errs field.ErrorList
	if scheme != "https" {
		errs = append(errs, field.Invalid(path, scheme, "'https' is the only allowed URL scheme"+form))
	}
	rest, fragment, hasFragment := strings.Cut(rest, "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	host, _, _ := strings.Cut(rest, "/")
	user, after, hasUser := strings.Cut(host, "@")
	if hasUser {
		host = after
	}
	if host == "" {
		errs = append(errs, field.Invalid(path, host, "host must be specified"+form))
	}
	if hasUser {
		errs = append(errs, field.Invalid(path, user, "user information is not permitted in the URL"+form))
	}
	if hasFragment && fragment != "" {
		errs = append(errs, field.Invalid(path, fragment, "fragments are not permitted in the URL"+form))
	}
	if hasQuery && query != "" {
		errs = append(errs, field.Invalid(path, query, "query parameters are not permitted in the URL"+form))
	}
	return errs
}

func validateRuleWithOperations(r *admissionregistrationv1.RuleWithOperations, path *field.Path, subresources bool) field.ErrorList {
	var errs field.ErrorList
	at := path.Child("operations")
	if len(r.Operations) == 0 {
		errs = append(errs, field.Required(at, ""))
	}
	if len(r.Operations) > 1 && slices.Contains(r.Operations, admissionregistrationv1.OperationAll) {
		errs = append(errs, field.Invalid(at, r.Operations, "if '*' is present, must not specify other operations"))
	}
	for i := range r.Operations {
		errs = append(errs, optional(&r.Operations[i], at.Index(i), "*", "CONNECT", "CREATE", "DELETE", "UPDATE")...)
	}
	list := func(values []string, name, what string) {
		at := path.Child(name)
		if len(values) == 0 {
			errs = append(errs, field.Required(at, ""))
		}
		if len(values) > 1 && slices.Contains(values, "*") {
			errs = append(errs, field.Invalid(at, values, "if '*' is present, must not specify other "+what))
		}
		for i, v := range values {
			if v == "" && name == "apiVersions" {
				errs = append(errs, field.Required(at.Index(i), ""))
			}
		}
	}
	list(r.APIGroups, "apiGroups", "API groups")
	list(r.APIVersions, "apiVersions", "API versions")
	errs = append(errs, validateRuleResources(r.Resources, path.Child("resources"), subresources)...)
	return append(errs, optional(r.Scope, path.Child("scope"), "*", "Cluster", "Namespaced")...)
}

// validateRuleResources is upstream's validateResources and validateResourcesNoSubResources.
func validateRuleResources(resources []string, path *field.Path, subresources bool) field.ErrorList {
	if len(resources) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	var errs field.ErrorList
	all, single, bare := false, false, false
	wild := map[string]bool{}
	for i, r := range resources {
		res, sub, has := strings.Cut(r, "/")
		switch {
		case r == "":
			errs = append(errs, field.Required(path.Index(i), ""))
		case has && !subresources:
			errs = append(errs, field.Invalid(path.Index(i), r, "must not specify subresources"))
		case !has:
			single, bare = single || r == "*", bare || r != "*"
		default:
			all = all || r == "*/*"
			if wild[res] {
				errs = append(errs, field.Invalid(path.Index(i), r, fmt.Sprintf("if '%s/*' is present, must not specify %s", res, r)))
			}
			if wild["*/"+sub] {
				errs = append(errs, field.Invalid(path.Index(i), r, fmt.Sprintf("if '*/%s' is present, must not specify %s", sub, r)))
			}
			if sub == "*" {
				wild[res] = true
			}
			if res == "*" {
				wild["*/"+sub] = true
			}
		}
	}
	if len(resources) > 1 && all {
		errs = append(errs, field.Invalid(path, resources, "if '*/*' is present, must not specify other resources"))
	}
	if single && bare {
		errs = append(errs, field.Invalid(path, resources, "if '*' is present, must not specify other resources without subresources"))
	}
	return errs
}

func validateMatchConditions(conditions []admissionregistrationv1.MatchCondition, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(conditions) > 64 {
		errs = append(errs, field.TooMany(path, len(conditions), 64))
	}
	names := map[string]bool{}
	for i := range conditions {
		c, at := &conditions[i], path.Index(i)
		if strings.TrimSpace(c.Expression) == "" {
			errs = append(errs, field.Required(at.Child("expression"), ""))
		}
		if c.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		} else {
			errs = append(errs, invalidFor(at.Child("name"), c.Name, validate.IsLabelKey(c.Name))...)
		}
		if names[c.Name] {
			errs = append(errs, field.Duplicate(at.Child("name"), c.Name))
		}
		names[c.Name] = true
	}
	return errs
}

// mutable are the operations about which a mutating policy may be: what is deleted cannot be changed.
var mutable = []admissionregistrationv1.OperationType{"*", "CONNECT", "CREATE", "UPDATE"}

func validateMutableOperations(m *admissionregistrationv1.MatchResources, path *field.Path) (errs field.ErrorList) {
	for i := range m.ResourceRules {
		for _, op := range m.ResourceRules[i].Operations {
			errs = append(errs, optional(&op, path.Child("resourceRules", "operations"), mutable...)...)
		}
	}
	return errs
}

// ValidateAdmissionPolicy is what the two kinds of policies share: to what they apply.
func ValidateAdmissionPolicy(mutating bool, constraints *admissionregistrationv1.MatchResources, failure *admissionregistrationv1.FailurePolicyType,
	param *admissionregistrationv1.ParamKind, conditions []admissionregistrationv1.MatchCondition,
	variables []admissionregistrationv1.Variable) field.ErrorList {
	path := specPath
	var errs field.ErrorList
	if failure == nil {
		errs = append(errs, field.Required(path.Child("failurePolicy"), ""))
	}
	errs = append(errs, optional(failure, path.Child("failurePolicy"), "Fail", "Ignore")...)
	if param != nil {
		if param.APIVersion == "" {
			errs = append(errs, field.Required(path.Child("paramKind", "apiVersion"), ""))
		}
		if param.Kind == "" {
			errs = append(errs, field.Required(path.Child("paramKind", "kind"), ""))
		}
	}
	if constraints == nil {
		errs = append(errs, field.Required(path.Child("matchConstraints"), ""))
	} else {
		errs = append(errs, validateMatchResources(constraints, path.Child("matchConstraints"))...)
		if len(constraints.ResourceRules) == 0 {
			errs = append(errs, field.Required(path.Child("matchConstraints", "resourceRules"), ""))
		}
		if mutating {
			errs = append(errs, validateMutableOperations(constraints, path.Child("matchConstraints"))...)
		}
	}
	errs = append(errs, validateMatchConditions(conditions, path.Child("matchConditions"))...)
	for i := range variables {
		v, at := &variables[i], path.Child("variables").Index(i)
		if v.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), "name is not specified"))
		}
		if strings.TrimSpace(v.Expression) == "" {
			errs = append(errs, field.Required(at.Child("expression"), "expression is not specified"))
		}
	}
	return errs
}

// ValidateValidatingAdmissionPolicy is upstream's function of that name.
func ValidateValidatingAdmissionPolicy(p *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList {
	s, path := &p.Spec, specPath
	errs := ValidateAdmissionPolicy(false, s.MatchConstraints, s.FailurePolicy, s.ParamKind, s.MatchConditions, s.Variables)
	if len(s.Validations)+len(s.AuditAnnotations) == 0 {
		const text = "validations or auditAnnotations must contain at least one item"
		errs = append(errs, field.Required(path.Child("validations"), text), field.Required(path.Child("auditAnnotations"), text))
	}
	for i := range s.Validations {
		v, at := &s.Validations[i], path.Child("validations").Index(i)
		if strings.TrimSpace(v.Expression) == "" {
			errs = append(errs, field.Required(at.Child("expression"), "expression is not specified"))
		}
		if v.Message != "" && strings.TrimSpace(v.Message) == "" {
			errs = append(errs, field.Invalid(at.Child("message"), v.Message, "message must be non-empty if specified"))
		}
		if strings.Contains(v.Message, "\n") {
			errs = append(errs, field.Invalid(at.Child("message"), v.Message, "message must not contain line breaks"))
		}
		if v.Reason != nil {
			switch *v.Reason {
			case metav1.StatusReasonForbidden, metav1.StatusReasonInvalid, metav1.StatusReasonRequestEntityTooLarge, metav1.StatusReasonUnauthorized:
			default:
				errs = append(errs, field.NotSupported(at.Child("reason"), string(*v.Reason),
					[]string{"Forbidden", "Invalid", "RequestEntityTooLarge", "Unauthorized"}))
			}
		}
	}
	const maxAuditAnnotations = 20
	if n := path.Child("auditAnnotations"); len(s.AuditAnnotations) > maxAuditAnnotations {
		errs = append(errs, field.Invalid(n, s.AuditAnnotations, fmt.Sprintf("must not have more than %d auditAnnotations", maxAuditAnnotations)))
	}
	for i := range s.AuditAnnotations {
		key, at := s.AuditAnnotations[i].Key, path.Child("auditAnnotations").Index(i).Child("key")
		if p.Name == "" {
			errs = append(errs, field.Invalid(at, key, "requires metadata.name be non-empty"))
			continue
		}
		errs = append(errs, invalidFor(at, p.Name+"/"+key, validate.IsLabelKey(p.Name+"/"+key))...)
	}
	return errs
}

// ValidateExpressionWarnings is upstream's function of that name: what is in the status of a ValidatingAdmissionPolicy.
func ValidateExpressionWarnings(s *admissionregistrationv1.ValidatingAdmissionPolicyStatus) (errs field.ErrorList) {
	if s.TypeChecking == nil {
		return nil
	}
	for i, w := range s.TypeChecking.ExpressionWarnings {
		at := field.NewPath("status", "typeChecking", "expressionWarnings").Index(i)
		if w.Warning == "" {
			errs = append(errs, field.Required(at.Child("warning"), ""))
		}
		if strings.TrimSpace(w.FieldRef) == "" {
			errs = append(errs, field.Required(at.Child("fieldRef"), ""))
		}
	}
	return errs
}

// ValidateMutatingAdmissionPolicy is upstream's function of that name.
func ValidateMutatingAdmissionPolicy(p *admissionregistrationv1.MutatingAdmissionPolicy) field.ErrorList {
	s, path := &p.Spec, specPath
	errs := ValidateAdmissionPolicy(true, s.MatchConstraints, s.FailurePolicy, s.ParamKind, s.MatchConditions, s.Variables)
	if len(s.Mutations) == 0 {
		errs = append(errs, field.Required(path.Child("mutations"), "mutations must contain at least one item"))
	}
	for i := range s.Mutations {
		m, at := &s.Mutations[i], path.Child("mutations").Index(i)
		json, apply := at.Child("jsonPatch"), at.Child("applyConfiguration")
		switch m.PatchType {
		case "":
			errs = append(errs, field.Required(at.Child("patchType"), ""))
		case admissionregistrationv1.PatchTypeJSONPatch:
			if m.JSONPatch == nil {
				errs = append(errs, field.Required(json, "must be specified when patchType is JSONPatch"))
			} else if strings.TrimSpace(m.JSONPatch.Expression) == "" {
				errs = append(errs, field.Required(json.Child("expression"), ""))
			}
			if m.ApplyConfiguration != nil {
				errs = append(errs, field.Invalid(apply, "{applyConfiguration}", "must not be specified when patchType is JSONPatch"))
			}
		case admissionregistrationv1.PatchTypeApplyConfiguration:
			if m.ApplyConfiguration == nil {
				errs = append(errs, field.Required(apply, "must be specified when patchType is ApplyConfiguration"))
			} else if strings.TrimSpace(m.ApplyConfiguration.Expression) == "" {
				errs = append(errs, field.Required(apply.Child("expression"), ""))
			}
			if m.JSONPatch != nil {
				errs = append(errs, field.Invalid(json, "{jsonPatch}", "must not be specified when patchType is ApplyConfiguration"))
			}
		default:
			errs = append(errs, field.NotSupported(at.Child("patchType"), string(m.PatchType), []string{"ApplyConfiguration", "JSONPatch"}))
		}
	}
	switch s.ReinvocationPolicy {
	case "":
		errs = append(errs, field.Required(path.Child("reinvocationPolicy"), ""))
	default:
		errs = append(errs, optional(&s.ReinvocationPolicy, path.Child("reinvocationPolicy"), "IfNeeded", "Never")...)
	}
	return errs
}

func validateMatchResources(m *admissionregistrationv1.MatchResources, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	// order: sorted below
	for name, selector := range map[string]*metav1.LabelSelector{"namespaceSelector": m.NamespaceSelector, "objectSelector": m.ObjectSelector} {
		if selector == nil {
			errs = append(errs, field.Required(path.Child(name), ""))
			continue
		}
		errs = append(errs, ValidateLabelSelector(selector, path.Child(name))...)
		if _, err := labels.LabelSelectorAsSelector(selector); err != nil {
			errs = append(errs, field.Invalid(path.Child(name), *selector, err.Error()))
		}
	}
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Field, b.Field) })
	if m.MatchPolicy == nil {
		errs = append(errs, field.Required(path.Child("matchPolicy"), ""))
	}
	errs = append(errs, optional(m.MatchPolicy, path.Child("matchPolicy"), "Equivalent", "Exact")...)
	for i := range m.ResourceRules {
		errs = append(errs, validateRuleWithOperations(&m.ResourceRules[i].RuleWithOperations, path.Child("resourceRules").Index(i), true)...)
	}
	for i := range m.ExcludeResourceRules {
		errs = append(errs, validateRuleWithOperations(&m.ExcludeResourceRules[i].RuleWithOperations, path.Child("excludeResourceRules").Index(i), true)...)
	}
	return errs
}

// ValidatePolicyBinding is what the bindings of both kinds of policies share.
func ValidatePolicyBinding(mutating bool, policy string, param *admissionregistrationv1.ParamRef, match *admissionregistrationv1.MatchResources) field.ErrorList {
	path := specPath
	var errs field.ErrorList
	if policy == "" {
		errs = append(errs, field.Required(path.Child("policyName"), ""))
	} else {
		errs = append(errs, invalidFor(path.Child("policyName"), policy, validate.IsDNS1123Subdomain(policy))...)
	}
	if param != nil {
		at := path.Child("paramRef")
		switch {
		case param.Name != "" && param.Selector != nil:
			errs = append(errs, field.Forbidden(at.Child("name"), "name and selector are mutually exclusive"),
				field.Forbidden(at.Child("selector"), "name and selector are mutually exclusive"))
		case param.Name == "" && param.Selector == nil:
			errs = append(errs, field.Required(at, "one of name or selector must be specified"))
		}
		if param.ParameterNotFoundAction == nil {
			errs = append(errs, field.Required(at.Child("parameterNotFoundAction"), ""))
		}
		errs = append(errs, optional(param.ParameterNotFoundAction, at.Child("parameterNotFoundAction"), "Deny", "Allow")...)
	}
	if match != nil {
		errs = append(errs, validateMatchResources(match, path.Child("matchResources"))...)
		if mutating {
			errs = append(errs, validateMutableOperations(match, path.Child("matchResources"))...)
		}
	}
	return errs
}

// ValidateValidationActions is upstream's validateValidationActions.
func ValidateValidationActions(actions []admissionregistrationv1.ValidationAction) field.ErrorList {
	path := field.NewPath("spec", "validationActions")
	if len(actions) == 0 {
		return field.ErrorList{field.Required(path, "at least one validation action is required")}
	}
	var errs field.ErrorList
	for i := range actions {
		if slices.Contains(actions[:i], actions[i]) {
			errs = append(errs, field.Duplicate(path.Index(i), actions[i]))
		}
		errs = append(errs, optional(&actions[i], path.Index(i), "Audit", "Deny", "Warn")...)
	}
	if slices.Contains(actions, admissionregistrationv1.Deny) && slices.Contains(actions, admissionregistrationv1.Warn) {
		errs = append(errs, field.Invalid(path, actions,
			"must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"))
	}
	return errs
}
