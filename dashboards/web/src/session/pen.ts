/** Empties a canvas and sizes it for the screen's pixels; returns what draws on it in CSS pixels. */
export function penOf(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
): CanvasRenderingContext2D | null {
  const ratio = window.devicePixelRatio
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
  const pen = canvas.getContext('2d')
  pen?.scale(ratio, ratio)
  return pen
}
