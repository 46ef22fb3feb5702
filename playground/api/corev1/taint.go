package corev1

// MatchTaint says that two taints are the same but for their values: a Node has one taint per key and effect.
// Upstream: k8s.io/api/core/v1/taint.go, Taint.MatchTaint.
func (t *Taint) MatchTaint(other *Taint) bool { return t.Key == other.Key && t.Effect == other.Effect }

// ToString is the taint as kubectl takes it: "key=value:NoSchedule", without what is empty.
func (t *Taint) ToString() string {
	s := t.Key
	if t.Value != "" {
		s += "=" + t.Value
	}
	if t.Value != "" || t.Effect != "" {
		s += ":" + string(t.Effect)
	}
	return s
}

// MatchToleration says that two tolerations are the same but for their seconds.
func (t *Toleration) MatchToleration(other *Toleration) bool {
	return t.Key == other.Key && t.Effect == other.Effect && t.Operator == other.Operator && t.Value == other.Value
}

// ToleratesTaint says that a Pod with the toleration may be on a Node with the taint. No effect means every effect, and
// no key (with Exists) every key. The comparisons Lt and Gt need the feature gate
// TaintTolerationComparisonOperators (alpha in 1.35), which the playground hasn't: they tolerate nothing. Upstream: k8s.io/api/core/v1/toleration.go,
// Toleration.ToleratesTaint.
func (t *Toleration) ToleratesTaint(taint *Taint) bool {
	if t.Effect != "" && t.Effect != taint.Effect || t.Key != "" && t.Key != taint.Key {
		return false
	}
	switch t.Operator {
	case "", TolerationOpEqual:
		return t.Value == taint.Value
	case TolerationOpExists:
		return true
	}
	return false
}
