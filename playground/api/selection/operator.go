// Package selection names the operators of label and field selectors, as upstream's
// k8s.io/apimachinery/pkg/selection does.
package selection

// Operator relates a key to its values.
type Operator string

// The operators. Field selectors know Equals, DoubleEquals and NotEquals only.
const (
	DoesNotExist Operator = "!"
	Equals       Operator = "="
	DoubleEquals Operator = "=="
	In           Operator = "in"
	NotEquals    Operator = "!="
	NotIn        Operator = "notin"
	Exists       Operator = "exists"
	GreaterThan  Operator = "gt"
	LessThan     Operator = "lt"
)
