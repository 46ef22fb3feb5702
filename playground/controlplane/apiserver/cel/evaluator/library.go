package evaluator

import (
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"regexp"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"

	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/validate"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// The functions that Kubernetes adds to CEL. Upstream: apiserver/pkg/cel/library.

// fn is a function of one value, of Go types that Value gives.
func fn[A any](f func(A) ref.Val) func(ref.Val) ref.Val {
	return func(arg ref.Val) ref.Val {
		a, ok := arg.Value().(A)
		if !ok {
			return types.MaybeNoSuchOverloadErr(arg)
		}
		return f(a)
	}
}

func fn2[A, B any](f func(A, B) ref.Val) func(_, _ ref.Val) ref.Val {
	return func(x, y ref.Val) ref.Val {
		a, ok := x.Value().(A)
		if !ok {
			return types.MaybeNoSuchOverloadErr(x)
		}
		b, ok := y.Value().(B)
		if !ok {
			return types.MaybeNoSuchOverloadErr(y)
		}
		return f(a, b)
	}
}

func args(t ...*cel.Type) []*cel.Type { return t }

func unary[A any](id string, arg, result *cel.Type, f func(A) ref.Val) cel.FunctionOpt {
	return cel.Overload(id, args(arg), result, cel.UnaryBinding(fn(f)))
}

func method[A any](id string, target, result *cel.Type, f func(A) ref.Val) cel.FunctionOpt {
	return cel.MemberOverload(id, args(target), result, cel.UnaryBinding(fn(f)))
}

func method2[A, B any](id string, target, arg, result *cel.Type, f func(A, B) ref.Val) cel.FunctionOpt {
	return cel.MemberOverload(id, args(target, arg), result, cel.BinaryBinding(fn2(f)))
}

// library is a set of functions; cel-go knows it by its name.
type library struct {
	name    string
	options []cel.EnvOption
}

func (l *library) LibraryName() string                 { return l.name }
func (l *library) CompileOptions() []cel.EnvOption     { return l.options }
func (l *library) ProgramOptions() []cel.ProgramOption { return nil }

func libraries() []cel.EnvOption {
	var out []cel.EnvOption
	for _, l := range []*library{
		{"kubernetes.urls", urls()}, {"kubernetes.regex", regexes()}, {"kubernetes.lists", lists()}, {"kubernetes.quantity", quantities()},
		{"kubernetes.net.ip", addresses()}, {"kubernetes.net.cidr", prefixes()}, {"kubernetes.format", formats()}, {"kubernetes.Semver", semvers()},
		{"kubernetes.authz", authorizers()},
	} {
		out = append(out, cel.Lib(l))
	}
	return out
}

func urls() []cel.EnvOption {
	part := func(name, id string, f func(*url.URL) string) cel.EnvOption {
		return cel.Function(name, method(id, urlType, cel.StringType, func(u *url.URL) ref.Val { return types.String(f(u)) }))
	}
	return []cel.EnvOption{
		cel.Function("url", unary("string_to_url", cel.StringType, urlType, func(s string) ref.Val {
			_, err := url.ParseRequestURI(s)
			if err != nil {
				return types.NewErr("URL parse error during conversion from string: %v", err)
			}
			u, err := url.Parse(s)
			if err != nil {
				return types.NewErr("URL parse error during conversion from string: %v", err)
			}
			return urlValue(u)
		})),
		cel.Function("isURL", unary("is_url_string", cel.StringType, cel.BoolType, func(s string) ref.Val {
			_, err := url.ParseRequestURI(s)
			return types.Bool(err == nil)
		})),
		part("getScheme", "url_get_scheme", func(u *url.URL) string { return u.Scheme }),
		part("getHost", "url_get_host", func(u *url.URL) string { return u.Host }),
		part("getHostname", "url_get_hostname", (*url.URL).Hostname),
		part("getPort", "url_get_port", (*url.URL).Port),
		part("getEscapedPath", "url_get_escaped_path", (*url.URL).EscapedPath),
		cel.Function("getQuery", method("url_get_query", urlType, cel.MapType(cel.StringType, cel.ListType(cel.StringType)), func(u *url.URL) ref.Val {
			values := map[ref.Val]ref.Val{}
			for name, v := range u.Query() { // order: each fills its own key
				values[types.String(name)] = types.NewStringList(types.DefaultTypeAdapter, v)
			}
			return adapter{types.DefaultTypeAdapter}.NativeToValue(values)
		})),
	}
}

func find(re *regexp.Regexp, values []ref.Val) ref.Val {
	return fn(func(s string) ref.Val { return types.String(re.FindString(s)) })(values[0])
}

func findAll(re *regexp.Regexp, values []ref.Val) ref.Val {
	n := -1
	if len(values) == 3 {
		n = int(values[2].(types.Int))
	}
	return fn(func(s string) ref.Val { return types.NewStringList(types.DefaultTypeAdapter, re.FindAllString(s, n)) })(values[0])
}

func regexes() []cel.EnvOption {
	compiling := func(f func(*regexp.Regexp, []ref.Val) ref.Val) func(...ref.Val) ref.Val {
		return func(values ...ref.Val) ref.Val {
			return fn(func(pattern string) ref.Val {
				re, err := regexp.Compile(pattern)
				if err != nil {
					return types.NewErr("Illegal regex: %v", err.Error())
				}
				return f(re, values)
			})(values[1])
		}
	}
	one, all := compiling(find), compiling(findAll)
	return []cel.EnvOption{
		cel.Function("find", cel.MemberOverload("string_find_string", args(cel.StringType, cel.StringType), cel.StringType,
			cel.BinaryBinding(func(a, b ref.Val) ref.Val { return one(a, b) }))),
		cel.Function("findAll",
			cel.MemberOverload("string_find_all_string", args(cel.StringType, cel.StringType), cel.ListType(cel.StringType),
				cel.BinaryBinding(func(a, b ref.Val) ref.Val { return all(a, b) })),
			cel.MemberOverload("string_find_all_string_int", args(cel.StringType, cel.StringType, cel.IntType), cel.ListType(cel.StringType),
				cel.FunctionBinding(all))),
	}
}

// patterns compiles constant patterns with the expression, so that a wrong one is found then.
func patterns() []*interpreter.RegexOptimization {
	of := func(function string, f func(*regexp.Regexp, []ref.Val) ref.Val) *interpreter.RegexOptimization {
		return &interpreter.RegexOptimization{Function: function, RegexIndex: 1,
			Factory: func(call interpreter.InterpretableCall, pattern string) (interpreter.InterpretableCall, error) {
				re, err := regexp.Compile(pattern)
				if err != nil {
					return nil, err
				}
				return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(values ...ref.Val) ref.Val { return f(re, values) }), nil
			}}
	}
	return []*interpreter.RegexOptimization{of("find", find), of("findAll", findAll)}
}

func lists() []cel.EnvOption {
	a := cel.TypeParamType("A")
	var sorted, sums, most, least []cel.FunctionOpt
	for _, t := range []*cel.Type{cel.IntType, cel.UintType, cel.DoubleType, cel.BoolType, cel.DurationType, cel.TimestampType, cel.StringType, cel.BytesType} {
		name, of := typeName(t), args(cel.ListType(t))
		sorted = append(sorted, cel.MemberOverload("list_"+name+"_is_sorted_bool", of, cel.BoolType, cel.UnaryBinding(isSorted)))
		most = append(most, cel.MemberOverload("list_"+name+"_max_"+name, of, t, cel.UnaryBinding(extreme("max", types.IntNegOne))))
		least = append(least, cel.MemberOverload("list_"+name+"_min_"+name, of, t, cel.UnaryBinding(extreme("min", types.IntOne))))
	}
	for t, zero := range map[*cel.Type]ref.Val{ // order: cel-go looks overloads up by their names
		cel.IntType: types.Int(0), cel.UintType: types.Uint(0), cel.DoubleType: types.Double(0), cel.DurationType: types.Duration{},
	} {
		name := typeName(t)
		sums = append(sums, cel.MemberOverload("list_"+name+"_sum_"+name, args(cel.ListType(t)), t, cel.UnaryBinding(func(v ref.Val) ref.Val {
			sum := zero
			for it := v.(traits.Iterable).Iterator(); it.HasNext() == types.True; {
				adder, ok := sum.(traits.Adder)
				if !ok {
					return types.MaybeNoSuchOverloadErr(sum)
				}
				sum = adder.Add(it.Next())
			}
			return sum
		})))
	}
	return []cel.EnvOption{
		cel.Function("isSorted", sorted...), cel.Function("sum", sums...), cel.Function("max", most...), cel.Function("min", least...),
		cel.Function("indexOf", cel.MemberOverload("list_a_index_of_int", args(cel.ListType(a), a), cel.IntType, cel.BinaryBinding(func(l, item ref.Val) ref.Val {
			items := l.(traits.Lister)
			for i, n := types.Int(0), items.Size().(types.Int); i < n; i++ {
				if items.Get(i).Equal(item) == types.True {
					return i
				}
			}
			return types.Int(-1)
		}))),
		cel.Function("lastIndexOf", cel.MemberOverload("list_a_last_index_of_int", args(cel.ListType(a), a), cel.IntType,
			cel.BinaryBinding(func(l, item ref.Val) ref.Val {
				items := l.(traits.Lister)
				i := items.Size().(types.Int) - 1
				for i >= 0 && items.Get(i).Equal(item) != types.True {
					i--
				}
				return i
			}))),
	}
}

func typeName(t *cel.Type) string {
	switch t {
	case cel.DurationType:
		return "duration"
	case cel.TimestampType:
		return "timestamp"
	}
	return t.TypeName()
}

func isSorted(v ref.Val) ref.Val {
	var last traits.Comparer
	for it := v.(traits.Iterable).Iterator(); it.HasNext() == types.True; {
		next := it.Next()
		if last != nil && last.Compare(next) == types.IntOne {
			return types.False
		}
		c, ok := next.(traits.Comparer)
		if !ok {
			return types.MaybeNoSuchOverloadErr(next)
		}
		last = c
	}
	return types.True
}

func extreme(name string, worse ref.Val) func(ref.Val) ref.Val {
	return func(v ref.Val) ref.Val {
		var best traits.Comparer
		for it := v.(traits.Iterable).Iterator(); it.HasNext() == types.True; {
			next := it.Next()
			c, ok := next.(traits.Comparer)
			if !ok {
				return types.MaybeNoSuchOverloadErr(next)
			}
			if best == nil || best.Compare(next) == worse {
				best = c
			}
		}
		if best == nil {
			return types.NewErr("%s called on empty list", name)
		}
		return best.(ref.Val)
	}
}

func quantities() []cel.EnvOption {
	type q = resource.Quantity
	compare := func(name, id string, result *cel.Type, f func(int) ref.Val) cel.EnvOption {
		return cel.Function(name, method2(id, quantityType, quantityType, result, func(a, b q) ref.Val { return f(a.Cmp(b)) }))
	}
	sum := func(name string, f func(a *q, b q)) cel.EnvOption {
		return cel.Function(name,
			method2("quantity_"+name, quantityType, quantityType, quantityType, func(a, b q) ref.Val { f(&a, b); return quantityValue(a) }),
			method2("quantity_"+name+"_int", quantityType, cel.IntType, quantityType, func(a q, b int64) ref.Val {
				f(&a, *resource.NewQuantity(b, resource.DecimalSI))
				return quantityValue(a)
			}))
	}
	return []cel.EnvOption{
		cel.Function("quantity", unary("string_to_quantity", cel.StringType, quantityType, func(s string) ref.Val {
			v, err := resource.ParseQuantity(s)
			if err != nil {
				return types.WrapErr(err)
			}
			return quantityValue(v)
		})),
		cel.Function("isQuantity", unary("is_quantity_string", cel.StringType, cel.BoolType, func(s string) ref.Val {
			_, err := resource.ParseQuantity(s)
			return types.Bool(err == nil)
		})),
		cel.Function("sign", unary("quantity_sign", quantityType, cel.IntType, func(a q) ref.Val { return types.Int(a.Sign()) })),
		compare("isGreaterThan", "quantity_is_greater_than", cel.BoolType, func(c int) ref.Val { return types.Bool(c > 0) }),
		compare("isLessThan", "quantity_is_less_than", cel.BoolType, func(c int) ref.Val { return types.Bool(c < 0) }),
		compare("compareTo", "quantity_compare_to", cel.IntType, func(c int) ref.Val { return types.Int(c) }),
		cel.Function("asApproximateFloat", method("quantity_get_float", quantityType, cel.DoubleType, func(a q) ref.Val {
			return types.Double(float64(a.MilliValue()) / 1000)
		})),
		cel.Function("asInteger", method("quantity_get_int", quantityType, cel.IntType, func(a q) ref.Val {
			if v, ok := a.AsInt64(); ok {
				return types.Int(v)
			}
			return types.NewErr("cannot convert value to integer")
		})),
		cel.Function("isInteger", method("quantity_is_integer", quantityType, cel.BoolType, func(a q) ref.Val { _, ok := a.AsInt64(); return types.Bool(ok) })),
		sum("add", (*q).Add), sum("sub", (*q).Sub),
	}
}

func parseIP(s string) (netip.Addr, error) {
	a, err := netip.ParseAddr(s)
	switch {
	case err != nil:
		return netip.Addr{}, fmt.Errorf("IP Address %q parse error during conversion from string: %v", s, err)
	case a.Zone() != "":
		return netip.Addr{}, fmt.Errorf("IP address %q with zone value is not allowed", s)
	case a.Is4In6():
		return netip.Addr{}, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return a, nil
}

func toIP(s string) ref.Val {
	a, err := parseIP(s)
	if err != nil {
		return types.NewErr("%v", err)
	}
	return ipValue(a)
}

func addresses() []cel.EnvOption {
	is := func(name, id string, f func(netip.Addr) bool) cel.EnvOption {
		return cel.Function(name, method(id, ipType, cel.BoolType, func(a netip.Addr) ref.Val { return types.Bool(f(a)) }))
	}
	return []cel.EnvOption{
		cel.Types(ipType),
		cel.Function("ip", unary("string_to_ip", cel.StringType, ipType, toIP)),
		cel.Function("family", method("ip_family", ipType, cel.IntType, func(a netip.Addr) ref.Val {
			if a.Is4() {
				return types.Int(4)
			}
			return types.Int(6)
		})),
		cel.Function("ip.isCanonical", unary("ip_is_canonical", cel.StringType, cel.BoolType, func(s string) ref.Val {
			a, err := parseIP(s)
			if err != nil {
				return types.NewErr("%v", err)
			}
			return types.Bool(a.String() == s)
		})),
		cel.Function("isIP", unary("is_ip", cel.StringType, cel.BoolType, func(s string) ref.Val { _, err := parseIP(s); return types.Bool(err == nil) })),
		cel.Function("string", unary("ip_to_string", ipType, cel.StringType, func(a netip.Addr) ref.Val { return types.String(a.String()) })),
		is("isUnspecified", "ip_is_unspecified", netip.Addr.IsUnspecified),
		is("isLoopback", "ip_is_loopback", netip.Addr.IsLoopback),
		is("isLinkLocalMulticast", "ip_is_link_local_multicast", netip.Addr.IsLinkLocalMulticast),
		is("isLinkLocalUnicast", "ip_is_link_local_unicast", netip.Addr.IsLinkLocalUnicast),
		is("isGlobalUnicast", "ip_is_global_unicast", netip.Addr.IsGlobalUnicast),
	}
}

func parseCIDR(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return p, fmt.Errorf("network address parse error during conversion from string: %v", err)
	}
	if p.Addr().Is4In6() {
		return p, fmt.Errorf("IPv4-mapped IPv6 address %q is not allowed", s)
	}
	return p, nil
}

func toCIDR(s string) ref.Val {
	p, err := parseCIDR(s)
	if err != nil {
		return types.NewErr("network address parse error during conversion from string: %v", err)
	}
	return cidrValue(p)
}

func prefixes() []cel.EnvOption {
	containsIP := func(p netip.Prefix, a netip.Addr) ref.Val { return types.Bool(p.Contains(a)) }
	contains := func(p, q netip.Prefix) ref.Val { return types.Bool(p.Overlaps(q) && p.Bits() <= q.Bits()) }
	return []cel.EnvOption{
		cel.Types(cidrType),
		cel.Function("cidr", unary("string_to_cidr", cel.StringType, cidrType, toCIDR)),
		cel.Function("containsIP",
			method2("cidr_contains_ip_string", cidrType, cel.StringType, cel.BoolType, func(p netip.Prefix, s string) ref.Val {
				a, err := parseIP(s)
				if err != nil {
					return types.NoSuchOverloadErr() // so says upstream
				}
				return containsIP(p, a)
			}),
			method2("cidr_contains_ip_ip", cidrType, ipType, cel.BoolType, containsIP)),
		cel.Function("containsCIDR",
			method2("cidr_contains_cidr_string", cidrType, cel.StringType, cel.BoolType, func(p netip.Prefix, s string) ref.Val {
				return fn(func(q netip.Prefix) ref.Val { return contains(p, q) })(toCIDR(s))
			}),
			method2("cidr_contains_cidr", cidrType, cidrType, cel.BoolType, contains)),
		cel.Function("ip", method("cidr_ip", cidrType, ipType, func(p netip.Prefix) ref.Val { return ipValue(p.Addr()) })),
		cel.Function("prefixLength", method("cidr_prefix_length", cidrType, cel.IntType, func(p netip.Prefix) ref.Val { return types.Int(p.Bits()) })),
		cel.Function("masked", method("cidr_masked", cidrType, cidrType, func(p netip.Prefix) ref.Val { return cidrValue(p.Masked()) })),
		cel.Function("isCIDR", unary("is_cidr", cel.StringType, cel.BoolType, func(s string) ref.Val { _, err := parseCIDR(s); return types.Bool(err == nil) })),
		cel.Function("string", unary("cidr_to_string", cidrType, cel.StringType, func(p netip.Prefix) ref.Val { return types.String(p.String()) })),
	}
}

// format is a form that a text can have.
type format struct {
	name  string
	check func(string) []string
	cost  uint64 // the length of the regular expression that upstream counts
}

var uuid = regexp.MustCompile(`(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`)

// dateTimePattern is as long as upstream's strfmt.DateTimePattern, from which the costs are.
const dateTimePattern = uint64(len(`^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$`))

func namedFormats() map[string]*format {
	says := func(text string, good func(string) bool) func(string) []string {
		return func(s string) []string {
			if good(s) {
				return nil
			}
			return []string{text}
		}
	}
	name := func(f validation.NameFunc, prefix bool) func(string) []string {
		return func(s string) []string { return f(s, prefix) }
	}
	value := func(format string) func(string) bool {
		return func(s string) bool { return !types.IsError(formatted(s, format)) }
	}
	return map[string]*format{
		"dns1123Label":           {"DNS1123Label", name(objectmeta.NameIsDNSLabel, false), 30},
		"dns1123Subdomain":       {"DNS1123Subdomain", name(objectmeta.NameIsDNSSubdomain, false), 60},
		"dns1035Label":           {"DNS1035Label", name(validation.NameIsDNS1035Label, false), 30},
		"qualifiedName":          {"QualifiedName", validate.IsLabelKey, 60},
		"dns1123LabelPrefix":     {"DNS1123LabelPrefix", name(objectmeta.NameIsDNSLabel, true), 30},
		"dns1123SubdomainPrefix": {"DNS1123SubdomainPrefix", name(objectmeta.NameIsDNSSubdomain, true), 60},
		"dns1035LabelPrefix":     {"DNS1035LabelPrefix", name(validation.NameIsDNS1035Label, true), 30},
		"labelValue":             {"LabelValue", validate.IsLabelValue, 40},
		"uri": {"URI", func(s string) []string {
			if _, err := url.ParseRequestURI(s); err != nil {
				return []string{err.Error()}
			}
			return nil
		}, 1103},
		"uuid":     {"uuid", says("does not match the UUID format", uuid.MatchString), uint64(len(uuid.String()))},
		"byte":     {"byte", says("invalid base64", value("byte")), 84},
		"date":     {"date", says("invalid date", value("date")), dateTimePattern},
		"datetime": {"datetime", says("invalid datetime", value("date-time")), dateTimePattern},
	}
}

func formats() []cel.EnvOption {
	known := namedFormats()
	of := func(f *format) ref.Val {
		return &opaque{formatType, f, func(other any) bool { return other.(*format).name == f.name }}
	}
	var out []cel.EnvOption
	for name, f := range known { // order: cel-go looks functions up by their names
		id := "format." + name
		out = append(out, cel.Function(id, cel.Overload(id, nil, formatType, decls.FunctionBinding(func(...ref.Val) ref.Val { return of(f) }))))
	}
	return append(out,
		cel.Function("format.named", unary("format-named", cel.StringType, cel.OptionalType(formatType), func(name string) ref.Val {
			if f := known[name]; f != nil {
				return types.OptionalOf(of(f))
			}
			return types.OptionalNone
		})),
		cel.Function("validate", method2("format-validate", formatType, cel.StringType, cel.OptionalType(cel.ListType(cel.StringType)),
			func(f *format, s string) ref.Val {
				wrong := f.check(s)
				if len(wrong) == 0 {
					return types.OptionalNone
				}
				return types.OptionalOf(types.NewStringList(types.DefaultTypeAdapter, wrong))
			})))
}

func semvers() []cel.EnvOption {
	parse := func(s string, normalize bool) ref.Val {
		v, err := parseSemver(s, normalize)
		if err != nil {
			return types.WrapErr(err)
		}
		return semverValue(v)
	}
	is := func(s string, normalize bool) ref.Val {
		_, err := parseSemver(s, normalize)
		return types.Bool(err == nil)
	}
	both := func(name, id, ids string, result *cel.Type, f func(string, bool) ref.Val) cel.EnvOption {
		return cel.Function(name, unary(id, cel.StringType, result, func(s string) ref.Val { return f(s, false) }),
			cel.Overload(ids, args(cel.StringType, cel.BoolType), result, cel.BinaryBinding(fn2(f))))
	}
	compare := func(name, id string, result *cel.Type, f func(int) ref.Val) cel.EnvOption {
		return cel.Function(name, method2(id, semverType, semverType, result, func(a, b semver) ref.Val { return f(a.compare(b)) }))
	}
	part := func(name string, i int) cel.EnvOption {
		return cel.Function(name, method("semver_"+name, semverType, cel.IntType, func(v semver) ref.Val {
			if v.numbers[i] > math.MaxInt64 {
				return types.NewErr("integer overflow")
			}
			return types.Int(v.numbers[i])
		}))
	}
	return []cel.EnvOption{
		both("semver", "string_to_semver", "string_bool_to_semver", semverType, parse),
		both("isSemver", "is_semver_string", "is_semver_string_bool", cel.BoolType, is),
		compare("isGreaterThan", "semver_is_greater_than", cel.BoolType, func(c int) ref.Val { return types.Bool(c > 0) }),
		compare("isLessThan", "semver_is_less_than", cel.BoolType, func(c int) ref.Val { return types.Bool(c < 0) }),
		compare("compareTo", "semver_compare_to", cel.IntType, func(c int) ref.Val { return types.Int(c) }),
		part("major", 0), part("minor", 1), part("patch", 2),
	}
}
