// Package quota is the arithmetic of resource quotas, and what an object uses
// of one. The admission plugin ResourceQuota asks it before an object is made,
// the resource quota controller when it counts what is there; since both ask
// here, a quota's status and its refusals agree.
//
// An Evaluator knows one resource: which names of a quota it counts, what one
// object uses of them, which scopes the object is in, and what a quota demands
// that the object must state. Pods, Services and claims have evaluators of their
// own; everything else is counted, under "count/RESOURCE.GROUP" and for a few
// core kinds under their old names too.
//
// Absent: quotas for device claims (resource.k8s.io), which only clusters with devices serve.
//
// Upstream: k8s.io/apiserver/pkg/quota/v1 and pkg/quota/v1/evaluator/core.
package quota
