package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// WebsiteSpec is what should be.
type WebsiteSpec struct {
	// image is what answers the requests.
	// +required
	Image string `json:"image"`

	// host is the name under which people find the site.
	// +required
	Host string `json:"host"`

	// replicas is how many Pods there are.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	Replicas *int32 `json:"replicas,omitempty"`
}

// WebsiteStatus is what is.
type WebsiteStatus struct {
	// conditions tell how the site is.
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// availableReplicas is how many Pods answer.
	// +optional
	AvailableReplicas int32 `json:"availableReplicas,omitempty"`
}

// Website is a site that runs in the cluster.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Host",type=string,JSONPath=`.spec.host`
// +kubebuilder:printcolumn:name="Available",type=integer,JSONPath=`.status.availableReplicas`
type Website struct {
	metav1.TypeMeta `json:",inline"`

	// metadata is an object's usual metadata.
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	// spec is what should be.
	// +required
	Spec WebsiteSpec `json:"spec"`

	// status is what is.
	// +optional
	Status WebsiteStatus `json:"status,omitzero"`
}

// WebsiteList is a list of Websites.
// +kubebuilder:object:root=true
type WebsiteList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []Website `json:"items"`
}
