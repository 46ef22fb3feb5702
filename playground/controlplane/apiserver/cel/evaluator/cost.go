package evaluator

import (
	"math"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
)

// costs are what calls of Kubernetes' functions cost, as estimated of an expression and as it turned out.
// Upstream: apiserver/pkg/cel/library/cost.go, CostEstimator.
type costs struct {
	root     *declared // of self; nil where types are not known
	anything *declared // the elements of maps in which every name may be found; nil if there are none
}

func ceil(f float64) *uint64 {
	cost := uint64(math.Ceil(f))
	return &cost
}

var one = checker.CostEstimate{Min: 1, Max: 1}

// CallCost implements interpreter.ActualCostEstimator.
func (c *costs) CallCost(function, overload string, args []ref.Val, result ref.Val) *uint64 {
	size := func(i int) float64 {
		if i < len(args) {
			return float64(actualSize(args[i]))
		}
		return 1
	}
	const byChar = common.StringTraversalCostFactor
	switch function {
	case "check":
		return ceil(350000)
	case "fieldSelector", "labelSelector":
		return ceil(common.ListCreateBaseCost + float64(size(1)*byChar) + float64(math.Ceil(size(1)*selectorRequirements)*requirementCost))
	case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf":
		cost := uint64(0)
		if len(args) > 0 {
			cost = traversal(args[0])
		}
		return &cost
	case "url", "lowerAscii", "upperAscii", "substring", "trim", "jsonpatch.escapeKey", "cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver":
		return ceil(size(0) * byChar)
	case "ip":
		if overload == "cidr_ip" {
			return ceil(1)
		}
		return ceil(size(0) * byChar)
	case "replace", "split", "ip.isCanonical":
		return ceil(size(0) * 2 * byChar)
	case "join":
		return ceil(float64(actualSize(result)) * 2 * byChar)
	case "find", "findAll":
		cost := *ceil((1 + size(0)) * byChar) * *ceil(size(1) * common.RegexStringLengthCostFactor)
		return &cost
	case "validate":
		if f, ok := args[0].Value().(*format); ok {
			cost := *ceil((1 + size(1)) * byChar) * *ceil(float64(f.cost) * common.RegexStringLengthCostFactor)
			return &cost
		}
	case "containsIP", "containsCIDR":
		cost := *ceil((size(0) + size(0)) * byChar)
		if function == "containsCIDR" {
			cost += *ceil(size(0) * byChar) + 1
		}
		if overload == "cidr_contains_ip_string" || overload == "cidr_contains_cidr_string" {
			cost += *ceil(size(1) * byChar)
		}
		return &cost
	case "serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error", "errored",
		"masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast",
		"format.named", "sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add", "sub", "major", "minor",
		"patch", "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery":
		return ceil(1)
	case "_==_":
		switch args[0].(type) {
		case *opaque, *sized, *check:
			return ceil(1)
		}
	}
	return nil
}

const (
	selectorRequirements = 0.5 // of a selector's characters
	requirementCost      = common.ListCreateBaseCost + common.StructCreateBaseCost
)

func actualSize(v ref.Val) uint64 {
	if s, ok := v.(traits.Sizer); ok {
		if n, ok := s.Size().(types.Int); ok {
			return uint64(n)
		}
	}
	return 1
}

func traversal(v ref.Val) (cost uint64) {
	switch v := v.(type) {
	case types.String:
		return uint64(float64(len(v)) * common.StringTraversalCostFactor)
	case types.Bytes:
		return uint64(float64(len(v)) * common.StringTraversalCostFactor)
	case traits.Lister:
		for it := v.Iterator(); it.HasNext() == types.True; {
			cost += traversal(it.Next())
		}
		return cost
	case traits.Mapper:
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			cost += traversal(key) + traversal(v.Get(key))
		}
		return cost
	}
	return 1
}

// EstimateCallCost implements checker.CostEstimator.
func (c *costs) EstimateCallCost(function, overload string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	const byChar = common.StringTraversalCostFactor
	arg := func(i int) checker.SizeEstimate {
		if i < len(args) {
			return c.size(args[i])
		}
		return checker.SizeEstimate{Max: math.MaxUint64}
	}
	of := func(cost checker.CostEstimate) *checker.CallEstimate {
		return &checker.CallEstimate{CostEstimate: cost}
	}
	switch function {
	case "check":
		return of(checker.CostEstimate{Min: 350000, Max: 350000})
	case "fieldSelector", "labelSelector":
		base := checker.CostEstimate{Min: common.ListCreateBaseCost, Max: common.ListCreateBaseCost}
		requirements := arg(0).MultiplyByCostFactor(selectorRequirements).MultiplyByCostFactor(requirementCost)
		return of(base.Add(arg(0).MultiplyByCostFactor(byChar)).Add(requirements))
	case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf":
		if target == nil {
			return nil
		}
		item := itemOf(*target)
		if item == nil { // a text
			return of(c.size(*target).MultiplyByCostFactor(byChar))
		}
		each := one
		if k := item.Type().Kind(); k == types.StringKind || k == types.BytesKind {
			each = each.Add(c.size(item).MultiplyByCostFactor(byChar))
		}
		return of(c.size(*target).MultiplyByCost(each))
	case "url", "jsonpatch.escapeKey":
		size := arg(0)
		return &checker.CallEstimate{CostEstimate: size.MultiplyByCostFactor(byChar), ResultSize: &size}
	case "lowerAscii", "upperAscii", "substring", "trim":
		if target != nil {
			size := c.size(*target)
			return &checker.CallEstimate{CostEstimate: size.MultiplyByCostFactor(byChar), ResultSize: &size}
		}
	case "replace":
		if target != nil && len(args) >= 2 {
			size := c.size(*target)
			result := replaced(size, arg(0), arg(1))
			return &checker.CallEstimate{CostEstimate: size.MultiplyByCostFactor(2 * byChar), ResultSize: &result}
		}
	case "split":
		if target != nil {
			size := c.size(*target)
			most := size.Max
			if len(args) > 1 {
				if v := args[1].Expr().AsLiteral(); v != nil {
					if n, ok := v.Value().(int64); ok {
						most = uint64(n)
					}
				}
			}
			return &checker.CallEstimate{CostEstimate: size.MultiplyByCostFactor(2 * byChar), ResultSize: &checker.SizeEstimate{Max: most}}
		}
	case "join":
		if target != nil {
			var size checker.SizeEstimate
			n := c.size(*target)
			if item := itemOf(*target); item != nil {
				size = n.Multiply(c.size(item))
			}
			if len(args) > 0 {
				between := checker.SizeEstimate{Min: n.Min - min(n.Min, 1), Max: n.Max - min(n.Max, 1)}
				size = size.Add(arg(0).Multiply(between))
			}
			return &checker.CallEstimate{CostEstimate: size.MultiplyByCostFactor(byChar), ResultSize: &size}
		}
	case "find", "findAll":
		if target != nil && len(args) >= 1 {
			size := c.size(*target)
			text := size.Add(checker.SizeEstimate{Min: 1, Max: 1}).MultiplyByCostFactor(byChar)
			return &checker.CallEstimate{CostEstimate: text.Multiply(arg(0).MultiplyByCostFactor(common.RegexStringLengthCostFactor)),
				ResultSize: &checker.SizeEstimate{Max: size.Max}}
		}
	case "ip":
		if overload == "cidr_ip" {
			return of(one)
		}
		return of(arg(0).MultiplyByCostFactor(byChar))
	case "cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver":
		return of(arg(0).MultiplyByCostFactor(byChar))
	case "ip.isCanonical":
		return of(arg(0).MultiplyByCostFactor(2 * byChar))
	case "containsIP", "containsCIDR":
		size := checker.SizeEstimate{Min: 4, Max: 16}
		cost := size.Add(size).MultiplyByCostFactor(byChar)
		if function == "containsCIDR" {
			cost = cost.Add(size.MultiplyByCostFactor(byChar)).Add(one)
		}
		if overload == "cidr_contains_ip_string" || overload == "cidr_contains_cidr_string" {
			cost = cost.Add(arg(0).MultiplyByCostFactor(byChar))
		}
		return of(cost)
	case "validate":
		const longest = 128 // of the regular expressions of names
		return of(arg(0).MultiplyByCostFactor(byChar).MultiplyByCostFactor(longest * common.RegexStringLengthCostFactor))
	case "serviceAccount", "path", "group", "resource", "subresource", "namespace", "name", "allowed", "reason", "error", "errored",
		"masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast",
		"format.named", "sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add", "sub", "major", "minor",
		"patch", "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery":
		return of(one)
	case "_==_":
		return equality(args)
	}
	return nil
}

// equality is what it costs to compare two values of Kubernetes' types.
func equality(args []checker.AstNode) *checker.CallEstimate {
	if len(args) != 2 || args[0].Type().Equal(args[1].Type()) != types.True {
		return nil
	}
	estimate := func(most uint64) *checker.CallEstimate {
		return &checker.CallEstimate{CostEstimate: checker.CostEstimate{Min: 1, Max: most}.MultiplyByCostFactor(common.StringTraversalCostFactor)}
	}
	switch t := args[0].Type(); t {
	case ipType, cidrType, quantityType, semverType, authorizerType, pathCheckType, groupCheckType, resourceCheckType, decisionType:
		return &checker.CallEstimate{CostEstimate: one}
	case formatType:
		return estimate(64)
	case urlType:
		most := uint64(1)
		if s := args[1].ComputedSize(); s != nil {
			most = s.Max
		}
		return estimate(most)
	}
	return nil
}

// replaced is how long a text is in which one thing was replaced by another.
func replaced(size, what, with checker.SizeEstimate) checker.SizeEstimate {
	var count, kept checker.SizeEstimate
	plus := func(n uint64) uint64 { return n + min(1, math.MaxUint64-n) }
	switch {
	case what.Min == 0:
		count.Max, kept.Max = plus(size.Max), size.Max
	case with.Max <= what.Min:
		kept.Max = size.Max
	default:
		count.Max = uint64(math.Ceil(float64(size.Max) / float64(what.Min)))
	}
	switch {
	case what.Max == 0:
		count.Min, kept.Min = plus(size.Min), size.Min
	case what.Max <= with.Min:
		kept.Min = size.Min
	default:
		count.Min = uint64(math.Ceil(float64(size.Min) / float64(what.Max)))
	}
	return count.Multiply(with).Add(kept)
}

func (c *costs) size(n checker.AstNode) checker.SizeEstimate {
	if s := n.ComputedSize(); s != nil {
		return *s
	}
	if s := c.EstimateSize(n); s != nil {
		return *s
	}
	return checker.SizeEstimate{Max: math.MaxUint64}
}

// EstimateSize implements checker.CostEstimator: the schema says how much there may be of something.
// Upstream: apiextensions-apiserver/pkg/apiserver/schema/cel/compilation.go, sizeEstimator.
func (c *costs) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	if c.root == nil || len(n.Path()) == 0 {
		return nil
	}
	d := c.root
	for _, name := range n.Path()[1:] { // self or oldSelf is the root
		switch name {
		case "@items", "@values":
			d = d.elem
		case "@keys":
			d = d.key
		default:
			if c.anything != nil && d.elem == c.anything && d.fields[name] == nil {
				d = c.anything
				continue
			}
			d = d.fields[name]
		}
		if d == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Max: uint64(d.max)}
}

// items stands for each item of a list.
type items struct {
	path []string
	t    *types.Type
}

func (i *items) Path() []string                      { return i.path }
func (i *items) Type() *types.Type                   { return i.t }
func (i *items) Expr() ast.Expr                      { return nil }
func (i *items) ComputedSize() *checker.SizeEstimate { return nil }

func itemOf(list checker.AstNode) checker.AstNode {
	params := list.Type().Parameters()
	if len(params) == 0 {
		return nil
	}
	out := &items{t: params[0]}
	if path := list.Path(); path != nil {
		out.path = append(append(out.path, path...), "@items")
	}
	return out
}
