//go:build !js || cel

package printers

import (
	"cmp"
	"strings"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/autoscalingv1"
	"kubewalk/playground/api/certificatesv1"
	"kubewalk/playground/api/duration"
	"kubewalk/playground/api/flowcontrolv1"
	"kubewalk/playground/api/nodev1"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/controlplane/apiserver/autoscaling"
)

func init() {
	rareCells = printer.rare
	columns["RuntimeClass.node.k8s.io"] = "Name|Handler|Age"
	columns["CertificateSigningRequest.certificates.k8s.io"] = "Name|Age|SignerName|Requestor|RequestedDuration|Condition"
	columns["FlowSchema.flowcontrol.apiserver.k8s.io"] = "Name|PriorityLevel|MatchingPrecedence|DistinguisherMethod|Age|MissingPL"
	columns["PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io"] = "Name|Type|NominalConcurrencyShares|Queues|HandSize|QueueLengthLimit|Age"
	columns["DeviceClass.resource.k8s.io"] = "Name|Age"
	columns["ResourceClaim.resource.k8s.io"] = "Name|State|Age"
	columns["ResourceClaimTemplate.resource.k8s.io"] = "Name|Age"
	columns["ResourceSlice.resource.k8s.io"] = "Name|Node|Driver|Pool|Age"
}

// rare are the cells of kinds that not every server has.
func (p printer) rare(obj api.Object) []any {
	switch o := obj.(type) {
	case *autoscalingv1.HorizontalPodAutoscaler:
		return p.printHorizontalPodAutoscaler(autoscaling.FromV1(o))
	case *nodev1.RuntimeClass:
		return []any{o.Name, o.Handler, p.created(o)}
	case *resourcev1.DeviceClass:
		return []any{o.Name, p.created(o)}
	case *resourcev1.ResourceClaim:
		return []any{o.Name, resourceClaimState(o), p.created(o)}
	case *resourcev1.ResourceClaimTemplate:
		return []any{o.Name, p.created(o)}
	case *resourcev1.ResourceSlice:
		node := ""
		if n := o.Spec.NodeName; n != nil {
			node = *n
		}
		return []any{o.Name, node, o.Spec.Driver, o.Spec.Pool.Name, p.created(o)}
	case *flowcontrolv1.FlowSchema:
		method, missing := "<none>", "?"
		if m := o.Spec.DistinguisherMethod; m != nil {
			method = string(m.Type)
		}
		for _, c := range o.Status.Conditions {
			if c.Type == flowcontrolv1.FlowSchemaConditionDangling {
				missing = string(c.Status)
				break
			}
		}
		return []any{o.Name, o.Spec.PriorityLevelConfiguration.Name, int64(o.Spec.MatchingPrecedence), method, p.created(o), missing}
	case *flowcontrolv1.PriorityLevelConfiguration:
		row := []any{o.Name, string(o.Spec.Type), "<none>", "<none>", "<none>", "<none>", p.created(o)}
		if l := o.Spec.Limited; l != nil {
			row[2] = int64(*l.NominalConcurrencyShares)
			if q := l.LimitResponse.Queuing; q != nil {
				row[3], row[4], row[5] = int64(q.Queues), int64(q.HandSize), int64(q.QueueLengthLimit)
			}
		}
		return row
	case *certificatesv1.CertificateSigningRequest:
		wanted := "<none>"
		if n := o.Spec.ExpirationSeconds; n != nil {
			wanted = duration.HumanDuration(time.Duration(*n) * time.Second)
		}
		return []any{o.Name, p.created(o), cmp.Or(o.Spec.SignerName, "<none>"), o.Spec.Username, wanted, extractCSRStatus(o)}
	}
	return nil
}

// resourceClaimState is upstream's function of that name.
func resourceClaimState(claim *resourcev1.ResourceClaim) string {
	var states []string
	if claim.DeletionTimestamp != nil {
		states = append(states, "deleted")
	}
	switch {
	case claim.Status.Allocation == nil && claim.DeletionTimestamp == nil:
		states = append(states, "pending")
	case claim.Status.Allocation == nil:
	case len(claim.Status.ReservedFor) > 0:
		states = append(states, "allocated", "reserved")
	default:
		states = append(states, "allocated")
	}
	return strings.Join(states, ",")
}

// extractCSRStatus is upstream's function of that name.
func extractCSRStatus(csr *certificatesv1.CertificateSigningRequest) string {
	has := map[certificatesv1.RequestConditionType]bool{}
	for _, c := range csr.Status.Conditions {
		has[c.Type] = true
	}
	status := "Pending"
	switch {
	case has[certificatesv1.CertificateDenied]:
		status = "Denied"
	case has[certificatesv1.CertificateApproved]:
		status = "Approved"
	}
	if has[certificatesv1.CertificateFailed] {
		status += ",Failed"
	}
	if len(csr.Status.Certificate) > 0 {
		status += ",Issued"
	}
	return status
}
