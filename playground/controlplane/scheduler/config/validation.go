package config

import (
	"fmt"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/selection"
	"kubewalk/playground/api/validate"
)

// Errors are all that is wrong with a configuration.
type Errors []error

// Error is the one error, or all in brackets.
func (e Errors) Error() string {
	if len(e) == 1 {
		return e[0].Error()
	}
	texts := make([]string, len(e))
	for i, err := range e {
		texts[i] = err.Error()
	}
	return "[" + strings.Join(texts, ", ") + "]"
}

// Profile is a profile ready to be used: merged, defaulted and found good.
type Profile struct {
	SchedulerName            string
	PercentageOfNodesToScore int32
	Plugins                  *Plugins
	Args                     map[string]Args // by plugin; those that the profile gives
}

// Complete fills in defaults and checks. No profile is the default one. outOfTree makes the arguments of plugins that are not
// Kubernetes' own, by their names.
// Upstream: apis/config/v1/defaults.go; apis/config/validation/validation.go, ValidateKubeSchedulerConfiguration.
func Complete(profiles []KubeSchedulerProfile, outOfTree map[string]func() Args) ([]*Profile, error) {
	if len(profiles) == 0 {
		profiles = []KubeSchedulerProfile{{}}
	}
	var errs Errors
	var out []*Profile
	first := map[string]int{}
	all := field.NewPath("profiles")
	for i := range profiles {
		in, path := &profiles[i], all.Index(i)
		p := &Profile{SchedulerName: in.SchedulerName, Plugins: mergePlugins(in.Plugins), Args: map[string]Args{}}
		if p.SchedulerName == "" && len(profiles) == 1 {
			p.SchedulerName = corev1.DefaultSchedulerName
		}
		if p.SchedulerName == "" {
			errs = append(errs, field.Required(path.Child("schedulerName"), ""))
		}
		if n := in.PercentageOfNodesToScore; n != nil {
			if p.PercentageOfNodesToScore = *n; *n < 0 || *n > 100 {
				errs = append(errs, field.Invalid(path.Child("percentageOfNodesToScore"), *n, "not in valid range [0-100]"))
			}
		}
		errs = append(errs, p.readArgs(in.PluginConfig, path, outOfTree)...)
		if j, taken := first[p.SchedulerName]; taken {
			errs = append(errs, field.Duplicate(path.Child("schedulerName"), all.Index(j).Child("schedulerName").String()))
		}
		first[p.SchedulerName] = i
		out = append(out, p)
	}
	errs = append(errs, validateCommonQueueSort(all, out)...)
	if len(errs) > 0 {
		return nil, errs
	}
	return out, nil
}

func (p *Profile) readArgs(configs []PluginConfig, path *field.Path, outOfTree map[string]func() Args) (errs []error) {
	for i, c := range configs {
		at := path.Child("pluginConfig").Index(i)
		if _, seen := p.Args[c.Name]; seen {
			errs = append(errs, field.Duplicate(at, c.Name))
			continue
		}
		args, err := decodeArgs(c.Name, c.Args, outOfTree)
		if err != nil {
			errs = append(errs, fmt.Errorf("decoding .%s: %w", at, err))
			continue
		}
		p.Args[c.Name] = args
		if args != nil {
			errs = append(errs, args.Validate(at.Child("args"))...)
		}
	}
	for name, newArgs := range outOfTree { // order: each fills its own key
		if p.Args[name] == nil {
			p.Args[name] = newArgs()
			p.Args[name].SetDefaults()
		}
	}
	return errs
}

// validateCommonQueueSort: there is one queue, so all profiles order it alike.
func validateCommonQueueSort(path *field.Path, profiles []*Profile) (errs []error) {
	canon := profiles[0].Plugins.QueueSort
	if n := len(canon.Enabled); n > 1 {
		errs = append(errs, field.Invalid(path.Index(0).Child("plugins", "queueSort", "Enabled"), n, "only one queue sort plugin can be enabled"))
	}
	for i, p := range profiles[1:] {
		if !samePlugins(canon.Enabled, p.Plugins.QueueSort.Enabled) || !samePlugins(canon.Disabled, p.Plugins.QueueSort.Disabled) {
			errs = append(errs, field.Invalid(path.Index(i+1).Child("plugins", "queueSort"), p.Plugins.QueueSort, "must be the same for all profiles"))
		}
	}
	return errs
}

func samePlugins(a, b []Plugin) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Name != b[i].Name {
			return false
		}
	}
	return true
}

func (a *DefaultPreemptionArgs) Validate(path *field.Path) (errs []error) {
	percentage, absolute := path.Child("minCandidateNodesPercentage"), path.Child("minCandidateNodesAbsolute")
	n, m := *a.MinCandidateNodesPercentage, *a.MinCandidateNodesAbsolute
	if n < 0 || n > 100 {
		errs = append(errs, field.Invalid(percentage, n, "not in valid range [0, 100]"))
	}
	if m < 0 {
		errs = append(errs, field.Invalid(absolute, m, "not in valid range [0, inf)"))
	}
	if n == 0 && m == 0 {
		errs = append(errs, field.Invalid(percentage, n, "cannot be zero at the same time as minCandidateNodesAbsolute"),
			field.Invalid(absolute, m, "cannot be zero at the same time as minCandidateNodesPercentage"))
	}
	return errs
}

func (a *InterPodAffinityArgs) Validate(path *field.Path) []error {
	if w := *a.HardPodAffinityWeight; w < 0 || w > 100 {
		return []error{field.Invalid(path.Child("hardPodAffinityWeight"), w, "not in valid range [0, 100]")}
	}
	return nil
}

func (a *NodeAffinityArgs) Validate(path *field.Path) (errs []error) {
	if a.AddedAffinity == nil {
		return nil
	}
	path = path.Child("addedAffinity")
	if r := a.AddedAffinity.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		terms := path.Child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
		for i := range r.NodeSelectorTerms {
			errs = append(errs, validateTerm(terms.Index(i), &r.NodeSelectorTerms[i])...)
		}
	}
	terms := path.Child("preferredDuringSchedulingIgnoredDuringExecution")
	for i := range a.AddedAffinity.PreferredDuringSchedulingIgnoredDuringExecution {
		errs = append(errs, validateTerm(terms.Index(i), &a.AddedAffinity.PreferredDuringSchedulingIgnoredDuringExecution[i].Preference)...)
	}
	return errs
}

// Upstream: component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go.
func validateTerm(path *field.Path, term *corev1.NodeSelectorTerm) (errs []error) {
	for i := range term.MatchExpressions {
		r, at := &term.MatchExpressions[i], path.Child("matchExpressions").Index(i)
		op, ok := selectionOperator(r.Operator)
		if !ok {
			errs = append(errs, field.NotSupported(at.Child("operator"), r.Operator, []corev1.NodeSelectorOperator{
				corev1.NodeSelectorOpDoesNotExist, corev1.NodeSelectorOpExists, corev1.NodeSelectorOpGt,
				corev1.NodeSelectorOpIn, corev1.NodeSelectorOpLt, corev1.NodeSelectorOpNotIn}))
			continue
		}
		if _, err := labels.NewRequirement(r.Key, op, r.Values); err != nil {
			errs = append(errs, fmt.Errorf("%s.%w", at, err))
		}
	}
	for i := range term.MatchFields {
		r, at := &term.MatchFields[i], path.Child("matchFields").Index(i)
		if r.Key != "metadata.name" {
			errs = append(errs, field.NotSupported(at.Child("key"), r.Key, []string{"metadata.name"}))
		}
		if len(r.Values) != 1 {
			errs = append(errs, field.Invalid(at.Child("values"), r.Values, "must have one element"))
		}
		if r.Operator != corev1.NodeSelectorOpIn && r.Operator != corev1.NodeSelectorOpNotIn {
			errs = append(errs, field.NotSupported(at.Child("operator"), r.Operator,
				[]corev1.NodeSelectorOperator{corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn}))
		}
	}
	return errs
}

func selectionOperator(op corev1.NodeSelectorOperator) (selection.Operator, bool) {
	switch op {
	case corev1.NodeSelectorOpIn:
		return selection.In, true
	case corev1.NodeSelectorOpNotIn:
		return selection.NotIn, true
	case corev1.NodeSelectorOpExists:
		return selection.Exists, true
	case corev1.NodeSelectorOpDoesNotExist:
		return selection.DoesNotExist, true
	case corev1.NodeSelectorOpGt:
		return selection.GreaterThan, true
	case corev1.NodeSelectorOpLt:
		return selection.LessThan, true
	}
	return "", false
}

func (a *NodeResourcesFitArgs) Validate(path *field.Path) (errs []error) {
	for i, r := range a.IgnoredResources {
		errs = append(errs, validateLabelName(path.Child("ignoredResources").Index(i), r)...)
	}
	for i, g := range a.IgnoredResourceGroups {
		at := path.Child("ignoredResourceGroups").Index(i)
		if strings.Contains(g, "/") {
			errs = append(errs, field.Invalid(at, g, "resource group name can't contain '/'"))
		}
		errs = append(errs, validateLabelName(at, g)...)
	}
	s, at := a.ScoringStrategy, path.Child("scoringStrategy")
	switch s.Type {
	case LeastAllocated, MostAllocated, RequestedToCapacityRatio:
	default:
		errs = append(errs, field.NotSupported(at.Child("type"), s.Type, []ScoringStrategyType{LeastAllocated, MostAllocated, RequestedToCapacityRatio}))
	}
	for i, r := range s.Resources {
		if r.Weight <= 0 || r.Weight > 100 {
			errs = append(errs, field.Invalid(at.Child("resources").Index(i).Child("weight"), r.Weight,
				fmt.Sprintf("resource weight of %v not in valid range (0, 100]", r.Name)))
		}
	}
	ratio := at.Child("requestedToCapacityRatio")
	switch {
	case s.Type == RequestedToCapacityRatio && s.RequestedToCapacityRatio == nil:
		errs = append(errs, field.Required(ratio, "must be specified when type is RequestedToCapacityRatio"))
	case s.Type == RequestedToCapacityRatio:
		errs = append(errs, validateShape(ratio.Child("shape"), s.RequestedToCapacityRatio.Shape)...)
	case s.RequestedToCapacityRatio != nil:
		errs = append(errs, field.Forbidden(ratio, "must be nil when type is not RequestedToCapacityRatio"))
	}
	return errs
}

func validateLabelName(path *field.Path, name string) (errs []error) {
	for _, msg := range validate.IsLabelKey(name) {
		errs = append(errs, field.Invalid(path, name, msg))
	}
	return errs
}

// MaxCustomPriorityScore is the most that a point of a shape scores.
const MaxCustomPriorityScore = 10

func validateShape(path *field.Path, shape []UtilizationShapePoint) (errs []error) {
	if len(shape) == 0 {
		return []error{field.Required(path, "at least one point must be specified")}
	}
	for i := 1; i < len(shape); i++ {
		if shape[i-1].Utilization >= shape[i].Utilization {
			errs = append(errs, field.Invalid(path.Index(i).Child("utilization"), shape[i].Utilization, "values must be sorted in increasing order"))
			break
		}
	}
	for i, p := range shape {
		if p.Utilization < 0 || p.Utilization > 100 {
			errs = append(errs, field.Invalid(path.Index(i).Child("utilization"), p.Utilization, "not in valid range [0, 100]"))
		}
		if p.Score < 0 || p.Score > MaxCustomPriorityScore {
			errs = append(errs, field.Invalid(path.Index(i).Child("score"), p.Score, "not in valid range [0, 10]"))
		}
	}
	return errs
}

func (a *NodeResourcesBalancedAllocationArgs) Validate(path *field.Path) (errs []error) {
	for i, r := range a.Resources {
		at := path.Child("resources").Index(i)
		for _, before := range a.Resources[:i] {
			if before.Name == r.Name {
				errs = append(errs, field.Duplicate(at.Child("name"), r.Name))
				break
			}
		}
		if r.Weight != 1 {
			errs = append(errs, field.Invalid(at.Child("weight"), r.Weight, "must be 1"))
		}
	}
	return errs
}

func (a *PodTopologySpreadArgs) Validate(path *field.Path) (errs []error) {
	switch at := path.Child("defaultingType"); {
	case a.DefaultingType != SystemDefaulting && a.DefaultingType != ListDefaulting:
		errs = append(errs, field.NotSupported(at, a.DefaultingType, []PodTopologySpreadConstraintsDefaulting{SystemDefaulting, ListDefaulting}))
	case a.DefaultingType == SystemDefaulting && len(a.DefaultConstraints) > 0:
		errs = append(errs, field.Invalid(at, string(a.DefaultingType), "when .defaultConstraints are not empty"))
	}
	all := path.Child("defaultConstraints")
	for i := range a.DefaultConstraints {
		c, at := &a.DefaultConstraints[i], all.Index(i)
		if c.MaxSkew <= 0 {
			errs = append(errs, field.Invalid(at.Child("maxSkew"), c.MaxSkew, "not in valid range (0, inf)"))
		}
		if c.TopologyKey == "" {
			errs = append(errs, field.Required(at.Child("topologyKey"), "can not be empty"))
		} else {
			errs = append(errs, validateLabelName(at.Child("topologyKey"), c.TopologyKey)...)
		}
		switch c.WhenUnsatisfiable {
		case "":
			errs = append(errs, field.Required(at.Child("whenUnsatisfiable"), "can not be empty"))
		case corev1.DoNotSchedule, corev1.ScheduleAnyway:
		default:
			errs = append(errs, field.NotSupported(at.Child("whenUnsatisfiable"), c.WhenUnsatisfiable,
				[]corev1.UnsatisfiableConstraintAction{corev1.DoNotSchedule, corev1.ScheduleAnyway}))
		}
		if c.LabelSelector != nil {
			errs = append(errs, field.Forbidden(at.Child("labelSelector"), "constraint must not define a selector, as they deduced for each pod"))
		}
		for j := range a.DefaultConstraints[:i] {
			if o := &a.DefaultConstraints[j]; o.TopologyKey == c.TopologyKey && o.WhenUnsatisfiable == c.WhenUnsatisfiable {
				errs = append(errs, field.Duplicate(at, fmt.Sprintf("{%v, %v}", c.TopologyKey, c.WhenUnsatisfiable)))
				break
			}
		}
	}
	return errs
}

func (a *VolumeBindingArgs) Validate(path *field.Path) []error {
	if n := *a.BindTimeoutSeconds; n < 0 {
		return []error{field.Invalid(path.Child("bindTimeoutSeconds"), n, "invalid BindTimeoutSeconds, should not be a negative value")}
	}
	return nil
}
