package validation

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/flowcontrolv1"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/controlplane/apiserver/flowcontrol"
)

// Bounds of flow control. Upstream: pkg/apis/flowcontrol/types.go, pkg/apis/flowcontrol/validation/validation.go,
// apiserver/pkg/util/shufflesharding.
const (
	maxMatchingPrecedence = 10000
	maxQueues             = 10_000_000
	maxHashBits           = 60
)

var (
	flowVerbs      = []string{"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"}
	distinguishers = []flowcontrolv1.FlowDistinguisherMethodType{flowcontrolv1.FlowDistinguisherMethodByNamespaceType,
		flowcontrolv1.FlowDistinguisherMethodByUserType}
)

// ValidateFlowSchema is upstream's pkg/apis/flowcontrol/validation/validation.go.
func ValidateFlowSchema(fs *flowcontrolv1.FlowSchema) field.ErrorList {
	path, spec := specPath, &fs.Spec
	var errs field.ErrorList
	precedence := path.Child("matchingPrecedence")
	if spec.MatchingPrecedence <= 0 {
		errs = append(errs, field.Invalid(precedence, spec.MatchingPrecedence, "must be a positive value"))
	}
	if spec.MatchingPrecedence > maxMatchingPrecedence {
		errs = append(errs, field.Invalid(precedence, spec.MatchingPrecedence, fmt.Sprintf("must not be greater than %v", maxMatchingPrecedence)))
	}
	if spec.MatchingPrecedence == 1 && fs.Name != flowcontrolv1.FlowSchemaNameExempt {
		errs = append(errs, field.Invalid(precedence, spec.MatchingPrecedence, "only the schema named 'exempt' may have matchingPrecedence 1"))
	}
	if d := spec.DistinguisherMethod; d != nil && !slices.Contains(distinguishers, d.Type) {
		errs = append(errs, field.NotSupported(path.Child("distinguisherMethod", "type"), d, distinguishers))
	}
	level := path.Child("priorityLevelConfiguration", "name")
	if name := spec.PriorityLevelConfiguration.Name; name != "" {
		errs = append(errs, invalidFor(level, name, objectmeta.NameIsDNSSubdomain(name, false))...)
	} else {
		errs = append(errs, field.Required(level, "must reference a priority level"))
	}
	for i := range spec.Rules {
		errs = append(errs, validateFlowRule(&spec.Rules[i], path.Child("rules").Index(i))...)
	}
	for _, m := range flowcontrol.Mandatory().FlowSchemas {
		if m.Name == fs.Name && !api.SemanticDeepEqual(m.Spec, *spec) {
			errs = append(errs, field.Invalid(path, *spec, fmt.Sprintf("spec of '%s' must equal the fixed value", fs.Name)))
		}
	}
	return append(errs, ValidateFlowSchemaStatus(fs)...)
}

// ValidateFlowSchemaStatus is upstream's function of that name.
func ValidateFlowSchemaStatus(fs *flowcontrolv1.FlowSchema) field.ErrorList {
	var types []string
	for _, c := range fs.Status.Conditions {
		types = append(types, string(c.Type))
	}
	return flowConditions(types)
}

func flowConditions(types []string) field.ErrorList {
	var errs field.ErrorList
	for i, t := range types {
		path := field.NewPath("status", "conditions").Index(i).Child("type")
		if slices.Contains(types[:i], t) {
			errs = append(errs, field.Duplicate(path, t))
		}
		if t == "" {
			errs = append(errs, field.Required(path, ""))
		}
	}
	return errs
}

// validateFlowRule is upstream's ValidateFlowSchemaPolicyRulesWithSubjects.
func validateFlowRule(rule *flowcontrolv1.PolicyRulesWithSubjects, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(rule.Subjects) == 0 {
		errs = append(errs, field.Required(path.Child("subjects"), "subjects must contain at least one value"))
	}
	for i := range rule.Subjects {
		errs = append(errs, validateFlowSubject(&rule.Subjects[i], path.Child("subjects").Index(i))...)
	}
	if len(rule.ResourceRules) == 0 && len(rule.NonResourceRules) == 0 {
		errs = append(errs, field.Required(path, "at least one of resourceRules and nonResourceRules has to be non-empty"))
	}
	for i := range rule.ResourceRules {
		errs = append(errs, validateFlowResourceRule(&rule.ResourceRules[i], path.Child("resourceRules").Index(i))...)
	}
	for i := range rule.NonResourceRules {
		errs = append(errs, validateFlowNonResourceRule(&rule.NonResourceRules[i], path.Child("nonResourceRules").Index(i))...)
	}
	return errs
}

func validateFlowSubject(s *flowcontrolv1.Subject, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	others := func(wanted string) {
		for _, o := range []struct {
			kind, key string
			has       bool
		}{{"ServiceAccount", "serviceAccount", s.ServiceAccount != nil}, {"User", "user", s.User != nil}, {"Group", "group", s.Group != nil}} {
			if o.has && o.kind != wanted {
				errs = append(errs, field.Forbidden(path.Child(o.key), fmt.Sprintf("%s is forbidden when subject kind is not '%s'", o.key, o.kind)))
			}
		}
	}
	named := func(key, kind string, there bool, name string) {
		if !there {
			errs = append(errs, field.Required(path.Child(key), fmt.Sprintf("%s is required when subject kind is '%s'", key, kind)))
		} else if name == "" {
			errs = append(errs, field.Required(path.Child(key, "name"), ""))
		}
	}
	switch s.Kind {
	case flowcontrolv1.SubjectKindServiceAccount:
		at, account := path.Child("serviceAccount"), s.ServiceAccount
		if account == nil {
			named("serviceAccount", "ServiceAccount", false, "")
			break
		}
		named("serviceAccount", "ServiceAccount", true, account.Name)
		if account.Name != "" && account.Name != flowcontrolv1.NameAll {
			errs = append(errs, invalidFor(at.Child("name"), account.Name, objectmeta.NameIsDNSSubdomain(account.Name, false))...)
		}
		if account.Namespace == "" {
			errs = append(errs, field.Required(at.Child("namespace"), "must specify namespace for service account"))
		} else {
			errs = append(errs, dnsLabel(account.Namespace, at.Child("namespace"))...)
		}
	case flowcontrolv1.SubjectKindUser:
		if s.User != nil {
			named("user", "User", true, s.User.Name)
		} else {
			named("user", "User", false, "")
		}
	case flowcontrolv1.SubjectKindGroup:
		if s.Group != nil {
			named("group", "Group", true, s.Group.Name)
		} else {
			named("group", "Group", false, "")
		}
	default:
		return append(errs, field.NotSupported(path.Child("kind"), s.Kind,
			[]flowcontrolv1.SubjectKind{flowcontrolv1.SubjectKindGroup, flowcontrolv1.SubjectKindServiceAccount, flowcontrolv1.SubjectKindUser}))
	}
	others(string(s.Kind))
	return errs
}

func validateFlowVerbs(verbs []string, path *field.Path) field.ErrorList {
	switch {
	case len(verbs) == 0:
		return field.ErrorList{field.Required(path, "verbs must contain at least one value")}
	case slices.Contains(verbs, flowcontrolv1.VerbAll):
		return alone(verbs, path, "verbs")
	case slices.ContainsFunc(verbs, func(v string) bool { return !slices.Contains(flowVerbs, v) }):
		return field.ErrorList{field.NotSupported(path, verbs, flowVerbs)}
	}
	return nil
}

// alone sees to it that * has no company.
func alone(list []string, path *field.Path, what string) field.ErrorList {
	if len(list) > 1 && slices.Contains(list, "*") {
		return field.ErrorList{field.Invalid(path, list, "if '*' is present, must not specify other "+what)}
	}
	return nil
}

func validateFlowResourceRule(rule *flowcontrolv1.ResourcePolicyRule, path *field.Path) field.ErrorList {
	errs := validateFlowVerbs(rule.Verbs, path.Child("verbs"))
	if len(rule.APIGroups) == 0 {
		errs = append(errs, field.Required(path.Child("apiGroups"), "resource rules must supply at least one api group"))
	}
	errs = append(errs, alone(rule.APIGroups, path.Child("apiGroups"), "api groups")...)
	if len(rule.Resources) == 0 {
		errs = append(errs, field.Required(path.Child("resources"), "resource rules must supply at least one resource"))
	}
	errs = append(errs, alone(rule.Resources, path.Child("resources"), "resources")...)
	namespaces := path.Child("namespaces")
	switch {
	case len(rule.Namespaces) == 0 && !rule.ClusterScope:
		errs = append(errs, field.Required(namespaces, "resource rules that are not cluster scoped must supply at least one namespace"))
	case slices.Contains(rule.Namespaces, flowcontrolv1.NamespaceEvery):
		errs = append(errs, alone(rule.Namespaces, namespaces, "namespaces")...)
	default:
		for i, name := range rule.Namespaces {
			for _, message := range objectmeta.NameIsDNSLabel(name, false) {
				errs = append(errs, field.Invalid(namespaces.Index(i), name, "each member of this list must be '*' or a DNS-1123 label; "+message))
			}
		}
	}
	return errs
}

func validateFlowNonResourceRule(rule *flowcontrolv1.NonResourcePolicyRule, path *field.Path) field.ErrorList {
	errs := validateFlowVerbs(rule.Verbs, path.Child("verbs"))
	urls := path.Child("nonResourceURLs")
	switch {
	case len(rule.NonResourceURLs) == 0:
		errs = append(errs, field.Required(urls, "nonResourceURLs must contain at least one value"))
	case slices.Contains(rule.NonResourceURLs, flowcontrolv1.NonResourceAll):
		errs = append(errs, alone(rule.NonResourceURLs, urls, "non-resource URLs")...)
	default:
		for i, url := range rule.NonResourceURLs {
			if message := nonResourcePath(url); message != "" {
				errs = append(errs, field.Invalid(urls.Index(i), url, message))
			}
		}
	}
	return errs
}

// nonResourcePath is upstream's ValidateNonResourceURLPath.
func nonResourcePath(path string) string {
	switch n := strings.Count(path, "*"); {
	case path == "":
		return "must not be empty"
	case path == "/":
		return ""
	case !strings.HasPrefix(path, "/"):
		return "must start with slash"
	case strings.Contains(path, " "):
		return "must not contain white-space"
	case strings.Contains(path, "//"):
		return "must not contain double slash"
	case n > 1 || n == 1 && !strings.HasSuffix(path, "/*"):
		return "wildcard can only do suffix matching"
	}
	return ""
}

// ValidatePriorityLevelConfiguration is upstream's function of that name.
func ValidatePriorityLevelConfiguration(pl *flowcontrolv1.PriorityLevelConfiguration) field.ErrorList {
	path, spec := specPath, &pl.Spec
	const exempt = flowcontrolv1.PriorityLevelConfigurationNameExempt
	var errs field.ErrorList
	if (pl.Name == exempt) != (spec.Type == flowcontrolv1.PriorityLevelEnablementExempt) {
		errs = append(errs, field.Invalid(path.Child("type"), spec.Type, "must be 'Exempt' if and only if `name` is 'exempt'"))
	}
	switch spec.Type {
	case flowcontrolv1.PriorityLevelEnablementExempt:
		if spec.Limited != nil {
			errs = append(errs, field.Forbidden(path.Child("limited"), "must be nil if the type is not Limited"))
		}
		if e := spec.Exempt; e != nil {
			errs = append(errs, shares(e.NominalConcurrencyShares, e.LendablePercent, path.Child("exempt"))...)
		}
	case flowcontrolv1.PriorityLevelEnablementLimited:
		if spec.Exempt != nil {
			errs = append(errs, field.Forbidden(path.Child("exempt"), "must be nil if the type is Limited"))
		}
		if spec.Limited == nil {
			errs = append(errs, field.Required(path.Child("limited"), "must not be empty when type is Limited"))
		} else {
			errs = append(errs, validateLimited(spec.Limited, path.Child("limited"))...)
		}
	case "":
		errs = append(errs, field.Required(path.Child("type"), ""))
	default:
		errs = append(errs, field.NotSupported(path.Child("type"), spec.Type,
			[]flowcontrolv1.PriorityLevelEnablement{flowcontrolv1.PriorityLevelEnablementExempt, flowcontrolv1.PriorityLevelEnablementLimited}))
	}
	for _, m := range flowcontrol.Mandatory().PriorityLevelConfigurations {
		if m.Name != pl.Name {
			continue
		}
		has, text := *spec, "spec of '%s' must equal the fixed value"
		if pl.Name == exempt {
			has.Exempt, text = m.Spec.Exempt, "spec of '%s' except the 'spec.exempt' field must equal the fixed value"
		}
		if !api.SemanticDeepEqual(m.Spec, has) {
			errs = append(errs, field.Invalid(path, *spec, fmt.Sprintf(text, pl.Name)))
		}
	}
	return append(errs, ValidatePriorityLevelConfigurationStatus(pl)...)
}

// ValidatePriorityLevelConfigurationStatus is upstream's function of that name.
func ValidatePriorityLevelConfigurationStatus(pl *flowcontrolv1.PriorityLevelConfiguration) field.ErrorList {
	var types []string
	for _, c := range pl.Status.Conditions {
		types = append(types, string(c.Type))
	}
	return flowConditions(types)
}

func shares(nominal, lendable *int32, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if nominal != nil && *nominal < 0 {
		errs = append(errs, field.Invalid(path.Child("nominalConcurrencyShares"), *nominal, "must be a non-negative integer"))
	}
	if lendable != nil && (*lendable < 0 || *lendable > 100) {
		errs = append(errs, field.Invalid(path.Child("lendablePercent"), *lendable, "must be between 0 and 100, inclusive"))
	}
	return errs
}

// validateLimited is upstream's ValidateLimitedPriorityLevelConfiguration.
func validateLimited(l *flowcontrolv1.LimitedPriorityLevelConfiguration, path *field.Path) field.ErrorList {
	errs := shares(l.NominalConcurrencyShares, l.LendablePercent, path)
	if n := l.BorrowingLimitPercent; n != nil && *n < 0 {
		errs = append(errs, field.Invalid(path.Child("borrowingLimitPercent"), *n, "if specified, must be a non-negative integer"))
	}
	r, at := &l.LimitResponse, path.Child("limitResponse")
	switch r.Type {
	case flowcontrolv1.LimitResponseTypeReject:
		if r.Queuing != nil {
			errs = append(errs, field.Forbidden(at.Child("queuing"), "must be nil if limited.limitResponse.type is not Limited"))
		}
	case flowcontrolv1.LimitResponseTypeQueue:
		if r.Queuing == nil {
			errs = append(errs, field.Required(at.Child("queuing"), "must not be empty if limited.limitResponse.type is Limited"))
		} else {
			errs = append(errs, validateQueuing(r.Queuing, at.Child("queuing"))...)
		}
	case "":
		errs = append(errs, field.Required(at.Child("type"), ""))
	default:
		errs = append(errs, field.NotSupported(at.Child("type"), r.Type,
			[]flowcontrolv1.LimitResponseType{flowcontrolv1.LimitResponseTypeQueue, flowcontrolv1.LimitResponseTypeReject}))
	}
	return errs
}

// validateQueuing is upstream's ValidatePriorityLevelQueuingConfiguration.
func validateQueuing(q *flowcontrolv1.QueuingConfiguration, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if q.QueueLengthLimit <= 0 {
		errs = append(errs, field.Invalid(path.Child("queueLengthLimit"), q.QueueLengthLimit, "must be positive"))
	}
	if q.Queues <= 0 {
		errs = append(errs, field.Invalid(path.Child("queues"), q.Queues, "must be positive"))
	} else if q.Queues > maxQueues {
		errs = append(errs, field.Invalid(path.Child("queues"), q.Queues, fmt.Sprintf("must not be greater than %d", maxQueues)))
	}
	hand := path.Child("handSize")
	switch bits := int(math.Ceil(math.Log2(float64(q.Queues)) * float64(q.HandSize))); {
	case q.HandSize <= 0:
		errs = append(errs, field.Invalid(hand, q.HandSize, "must be positive"))
	case q.HandSize > q.Queues:
		errs = append(errs, field.Invalid(hand, q.HandSize, fmt.Sprintf("should not be greater than queues (%d)", q.Queues)))
	case bits > maxHashBits:
		errs = append(errs, field.Invalid(hand, q.HandSize,
			fmt.Sprintf("required entropy bits of deckSize %d and handSize %d should not be greater than %d", q.Queues, q.HandSize, maxHashBits)))
	}
	return errs
}
