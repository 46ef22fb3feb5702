package picture

import (
	"encoding/binary"
	"image"
)

// orientation is how a JPEG wants to be turned, 1 to 8: the tag 0x0112 of its
// EXIF block. Browsers turn it; a file made of its pixels has to be turned here.
func orientation(data []byte) int {
	for i := 2; i+4 <= len(data) && data[i] == 0xff && data[i+1] != 0xda; {
		size := int(binary.BigEndian.Uint16(data[i+2:]))
		if end := i + 2 + size; data[i+1] == 0xe1 && size >= 8 && end <= len(data) && string(data[i+4:i+10]) == "Exif\x00\x00" {
			return tiffOrientation(data[i+10 : end])
		}
		i += 2 + max(size, 2)
	}
	return 1
}

func tiffOrientation(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if tiff[0] == 'M' {
		order = binary.BigEndian
	}
	at := int(order.Uint32(tiff[4:]))
	if at < 8 || at+2 > len(tiff) {
		return 1
	}
	for n, i := int(order.Uint16(tiff[at:])), at+2; n > 0 && i+12 <= len(tiff); n, i = n-1, i+12 {
		if order.Uint16(tiff[i:]) == 0x0112 {
			if v := int(order.Uint16(tiff[i+8:])); v >= 1 && v <= 8 {
				return v
			}
		}
	}
	return 1
}

// upright turns and mirrors an image as its orientation says.
func upright(img image.Image, orientation int) image.Image {
	if orientation == 1 {
		return img
	}
	from := img.Bounds()
	w, h := from.Dx(), from.Dy()
	size := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		size = image.Rect(0, 0, h, w)
	}
	out := image.NewNRGBA(size)
	for y := range h {
		for x := range w {
			tx, ty := x, y
			switch orientation {
			case 2:
				tx = w - 1 - x
			case 3:
				tx, ty = w-1-x, h-1-y
			case 4:
				ty = h - 1 - y
			case 5:
				tx, ty = y, x
			case 6:
				tx, ty = h-1-y, x
			case 7:
				tx, ty = h-1-y, w-1-x
			case 8:
				tx, ty = y, w-1-x
			}
			out.Set(tx, ty, img.At(from.Min.X+x, from.Min.Y+y))
		}
	}
	return out
}
