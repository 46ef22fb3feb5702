package evaluator

import (
	"fmt"
	"net/netip"
	"net/url"
	"reflect"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"kubewalk/playground/api/resource"
)

// The types that Kubernetes adds to CEL. Upstream: apiserver/pkg/cel.

// opaque is a value of a type of Kubernetes' own.
type opaque struct {
	t     *cel.Type
	value any
	equal func(other any) bool
}

func (o *opaque) ConvertToNative(t reflect.Type) (any, error) {
	if reflect.TypeOf(o.value).AssignableTo(t) {
		return o.value, nil
	}
	return nil, fmt.Errorf("type conversion error from '%s' to '%v'", o.t, t)
}

func (o *opaque) ConvertToType(t ref.Type) ref.Val {
	switch {
	case t == o.t:
		return o
	case t == types.TypeType:
		return o.t
	case t == types.StringType && (o.t == ipType || o.t == cidrType):
		return types.String(fmt.Sprint(o.value))
	}
	return types.NewErr("type conversion error from '%s' to '%s'", o.t, t)
}

func (o *opaque) Equal(other ref.Val) ref.Val {
	if v, ok := other.(*opaque); ok && v.t == o.t {
		return types.Bool(o.equal(v.value))
	}
	return types.MaybeNoSuchOverloadErr(other)
}
func (o *opaque) Type() ref.Type { return o.t }
func (o *opaque) Value() any     { return o.value }

var (
	urlType      = cel.ObjectType("kubernetes.URL")
	quantityType = cel.ObjectType("kubernetes.Quantity")
	formatType   = cel.ObjectType("kubernetes.NamedFormat")
	semverType   = cel.ObjectType("kubernetes.Semver")
	ipType       = cel.OpaqueType("net.IP")
	cidrType     = cel.OpaqueType("net.CIDR")
)

// sized are addresses, whose size is that of their bytes.
type sized struct {
	opaque
	bits int
}

func (s *sized) Size() ref.Val { return types.Int((s.bits + 7) / 8) }
func (s *sized) Equal(other ref.Val) ref.Val {
	if v, ok := other.(*sized); ok && v.t == s.t {
		return types.Bool(s.equal(v.value))
	}
	return types.ValOrErr(other, "no such overload")
}
func (s *sized) ConvertToType(t ref.Type) ref.Val {
	if t == s.t {
		return s
	}
	return s.opaque.ConvertToType(t)
}

func ipValue(a netip.Addr) ref.Val {
	return &sized{opaque{ipType, a, func(other any) bool { return other == a }}, a.BitLen()}
}

func cidrValue(p netip.Prefix) ref.Val {
	return &sized{opaque{cidrType, p, func(other any) bool { return other == p }}, p.Addr().BitLen()}
}

func urlValue(u *url.URL) ref.Val {
	return &opaque{urlType, u, func(other any) bool { return other.(*url.URL).String() == u.String() }}
}

func quantityValue(q resource.Quantity) ref.Val {
	return &opaque{quantityType, q, func(other any) bool { return q.Equal(other.(resource.Quantity)) }}
}

func semverValue(v semver) ref.Val {
	return &opaque{semverType, v, func(other any) bool { return v.compare(other.(semver)) == 0 }}
}
