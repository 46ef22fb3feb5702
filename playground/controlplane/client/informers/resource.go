//go:build !js || cel

package informers

import (
	"kubewalk/playground/api"
	"kubewalk/playground/api/resourcev1"
	"kubewalk/playground/controlplane/client/listers"
)

// What the functions below return, under upstream's names.
type (
	ResourceClaimInformer         = ResourceInformer[listers.ResourceClaimLister]
	ResourceClaimTemplateInformer = ResourceInformer[listers.ResourceClaimTemplateLister]
	DeviceClassInformer           = ResourceInformer[listers.DeviceClassLister]
	ResourceSliceInformer         = ResourceInformer[listers.ResourceSliceLister]
)

func inDevices(resource string) api.GroupVersionResource {
	return api.GroupVersionResource{Group: resourcev1.GroupName, Version: "v1", Resource: resource}
}

// ResourceClaims are those of a factory, in builds that have them.
func ResourceClaims(f SharedInformerFactory) ResourceClaimInformer {
	return ResourceClaimInformer{f.(*sharedInformerFactory), inDevices("resourceclaims"), listers.NewResourceClaimLister}
}

// ResourceClaimTemplates are those of a factory, in builds that have them.
func ResourceClaimTemplates(f SharedInformerFactory) ResourceClaimTemplateInformer {
	return ResourceClaimTemplateInformer{f.(*sharedInformerFactory), inDevices("resourceclaimtemplates"), listers.NewResourceClaimTemplateLister}
}

// DeviceClasses are those of a factory, in builds that have them.
func DeviceClasses(f SharedInformerFactory) DeviceClassInformer {
	return DeviceClassInformer{f.(*sharedInformerFactory), inDevices("deviceclasses"), listers.NewDeviceClassLister}
}

// ResourceSlices are those of a factory, in builds that have them.
func ResourceSlices(f SharedInformerFactory) ResourceSliceInformer {
	return ResourceSliceInformer{f.(*sharedInformerFactory), inDevices("resourceslices"), listers.NewResourceSliceLister}
}
