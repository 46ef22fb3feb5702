// Package validation says what is wrong with an object, in upstream's order and words, so that the message for a bad
// manifest is the one that a real server gives.
//
// The rules of the kinds served are here as far as people meet them. Absent is the long tail: sources of volumes that are not
// simulated, SELinux and Windows options, types of seccomp's and AppArmor's profiles. Such fields are taken as they are. In the build that pages load
// first also devices, what CEL expressions say, and profiles that are files of the node's.
//
// Upstream: pkg/apis/core/validation/validation.go, pkg/apis/apps/validation/validation.go and
// apimachinery/pkg/api/validation/objectmeta.go.
package validation

import (
	"kubewalk/playground/api/field"
	"kubewalk/playground/api/objectmeta"
)

// The parts that objects have, most of them. Paths never change, so each is made once.
var (
	specPath   = field.NewPath("spec")
	statusPath = field.NewPath("status")
)

// NameFunc returns what is wrong with a name; prefix says that a generated suffix will follow.
type NameFunc = objectmeta.NameFunc

const (
	fieldImmutable = objectmeta.FieldImmutable
	isNonNegative  = objectmeta.IsNonNegative
)
