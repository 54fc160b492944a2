export const words = { "image": "Image" };
