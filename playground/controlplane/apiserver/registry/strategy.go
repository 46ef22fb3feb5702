// Package registry is what the API server does to objects of each kind: a Store, the same for all, that creates, updates
// and deletes by the rules of the API, and a strategy for each kind that says what is special about it.
//
// Upstream: apiserver/pkg/registry/generic/registry (Store), apiserver/pkg/registry/rest (BeforeCreate, BeforeUpdate,
// BeforeDelete) and pkg/registry/*/*/strategy.go. Managed fields are no part of what is stored: see package managedfields.
package registry

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/authenticationv1"
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/fields"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/objectmeta"
	"kubewalk/playground/controlplane/apiserver/validation"
)

// Strategy is what is special about a kind, or about one of its subresources. The objects that the methods get are the
// store's to change (obj) or must not be changed (old).
// Upstream: apiserver/pkg/registry/rest, RESTCreateStrategy and RESTUpdateStrategy.
type Strategy interface {
	// PrepareForCreate removes what the client may not set.
	PrepareForCreate(obj api.Object)
	// Validate checks all but the metadata.
	Validate(obj api.Object) field.ErrorList
	// PrepareForUpdate puts back what this path may not change, and counts the generation.
	PrepareForUpdate(obj, old api.Object)
	// ValidateUpdate checks all but the metadata.
	ValidateUpdate(obj, old api.Object) field.ErrorList
	// ValidateName says what names are good.
	ValidateName() validation.NameFunc
	// AllowCreateOnUpdate says that a PUT to a free name creates.
	AllowCreateOnUpdate() bool
	// AllowUnconditionalUpdate says that an update without a resourceVersion overwrites whatever is there.
	AllowUnconditionalUpdate() bool
}

// GracefulDeleteStrategy is implemented for kinds whose objects stay a while after they were deleted.
type GracefulDeleteStrategy interface {
	// CheckGracefulDelete sets the options' grace period and returns true if the object is to be deleted with it.
	CheckGracefulDelete(obj api.Object, options *metav1.DeleteOptions) bool
}

// fieldSelection is implemented for kinds that can be selected by more than name and namespace.
// Upstream: each strategy's ToSelectableFields, and AddFieldLabelConversionFunc in pkg/apis/*/*/conversion.go.
type fieldSelection interface {
	// SelectableFields returns the values by which the object can be selected. Of a nil object it returns only the names.
	SelectableFields(obj api.Object) fields.Set
}

// looking is implemented for kinds that contain certificates, or requests for them.
type looking interface {
	Looking(look validation.Certificates) Strategy
}

// requestedBy is implemented for kinds whose new objects say who made them.
type requestedBy interface {
	SetUser(obj api.Object, user *authenticationv1.UserInfo)
}

// SetUser writes into a new object who made it, if it says so. Upstream: the user is in the context that strategies are given.
func (e *Store) SetUser(obj api.Object, user *authenticationv1.UserInfo) {
	if s, ok := e.Strategy.(requestedBy); ok {
		s.SetUser(obj, user)
	}
}

// plain is the strategy of kinds about which nothing is special; others embed it.
type plain struct{}

func (plain) PrepareForCreate(api.Object)                    {}
func (plain) Validate(api.Object) field.ErrorList            { return nil }
func (plain) PrepareForUpdate(_, _ api.Object)               {}
func (plain) ValidateUpdate(_, _ api.Object) field.ErrorList { return nil }
func (plain) ValidateName() validation.NameFunc              { return objectmeta.NameIsDNSSubdomain }
func (plain) AllowCreateOnUpdate() bool                      { return false }
func (plain) AllowUnconditionalUpdate() bool                 { return true }

// strategies is by "group/resource" or "group/resource/subresource". A kind without an entry is plain.
var strategies = map[string]Strategy{}

func register(path string, s Strategy) { strategies[path] = s }

// plainIsRight are the kinds and subresources about which there is nothing special, so that a missing entry in strategies is
// not taken for one of them.
var plainIsRight = map[string]string{
	"/componentstatuses": "nobody writes them: upstream makes them up when they are read",
}

// Known says that a kind or subresource has a strategy, or that plain was chosen for it.
func Known(path string) bool { return strategies[path] != nil || plainIsRight[path] != "" }

func strategyFor(kind *api.Kind, subresource string) Strategy {
	path := kind.Group + "/" + kind.Resource
	if subresource != "" {
		path += "/" + subresource
	}
	if s := strategies[path]; s != nil {
		return s
	}
	return plain{}
}
