# ruff: noqa
# %% accuracy
m = train.Accuracy()
m.update(P, L); m.update(P, L)
show(m.eval())
m = train.Accuracy("multilabel")
m.update(np.array([[0, 1, 0], [1, 0, 1], [0, 0, 1]]), np.array([[0, 1, 1], [1, 0, 1], [0, 0, 1]]))
show(m.eval())
m = train.Accuracy()
m.update(P, ONE_HOT)
show(m.eval())
attempt(lambda: train.Accuracy("x"))
attempt(lambda: m.update(P))
attempt(lambda: m.update(P, np.zeros((7,))))
attempt(lambda: train.Accuracy().eval())

# %% precision and recall
for kind in (train.Precision, train.Recall):
    m = kind()
    m.update(P, L); m.update(P, ONE_HOT)
    show(m.eval(), m.eval(True))
    m = kind("multilabel")
    m.update(np.array([[0, 1, 0], [1, 0, 1], [0, 0, 1]]), np.array([[0, 1, 1], [1, 0, 1], [0, 0, 1]]))
    show(m.eval(), m.eval(average=True))
    attempt(lambda: kind().eval())
    attempt(lambda: m.eval(average=1))

# %% f
for m in (train.F1(), train.Fbeta(2)):
    m.update(P, L)
    show(m.eval(), m.eval(True))
attempt(lambda: train.Fbeta(0))
attempt(lambda: train.F1().eval())
attempt(lambda: m.update(P, np.array([0, 1, 5, 1])))

# %% top k
for m in (train.TopKCategoricalAccuracy(2), train.Top1CategoricalAccuracy(), train.Top5CategoricalAccuracy()):
    m.update(np.concatenate([P, P - 1], 1), L)
    show(m.eval())
attempt(lambda: train.TopKCategoricalAccuracy(0))
attempt(lambda: train.TopKCategoricalAccuracy(1.0))

# %% errors
for m in (train.MAE(), train.MSE()):
    m.update(P, P[::-1].copy())
    show(m.eval())
    attempt(lambda: type(m)().eval())
    attempt(lambda: m.update(P))
m = train.Loss()
m.update(Tensor(0.5)); m.update(np.array([1.5]))
show(m.eval())
attempt(lambda: m.update(P))
attempt(lambda: train.Loss().eval())

# %% perplexity
m = train.Perplexity()
m.update(P, L)
show(m.eval())
m = train.Perplexity(ignore_label=1)
m.update(P, L)
show(m.eval())
attempt(lambda: train.Perplexity(1.5))

# %% confusion matrix
for norm in ("no_norm", "target", "prediction", "all"):
    m = train.ConfusionMatrix(3, normalize=norm)
    m.update(P, L)
    show(m.eval())
m = train.ConfusionMatrix(2, threshold=0.4)
m.update(np.array([0.1, 0.45, 0.9]), np.array([0, 1, 0]))
show(m.eval())
attempt(lambda: train.ConfusionMatrix(3, normalize="x"))
attempt(lambda: train.ConfusionMatrix(3).eval())

# %% confusion matrix metric
A = np.array([[[0], [1], [1]], [[0], [0], [1]], [[1], [1], [0]]])
B = np.array([[[0], [1], [0]], [[0], [1], [1]], [[1], [0], [0]]])
for name in ("sensitivity", "specificity", "precision", "npv", "miss rate", "fall out", "fdr", "for", "pt", "ts", "acc",
             "ba", "f1", "mcc", "fm", "bm", "mk"):
    m = train.ConfusionMatrixMetric(skip_channel=False, metric_name=name, decrease="sum")
    m.update(A, B)
    show(name, np.array(m.eval()).reshape(-1))

# %% similarity
m = train.CosineSimilarity()
m.update(P)
show(m.eval())
m = train.CosineSimilarity("dot", "mean", False)
m.update(P)
show(m.eval())
attempt(lambda: train.CosineSimilarity("x"))
m = train.Dice()
m.update(np.array([[0.2, 0.5], [0.3, 0.1]]), np.array([[0, 1], [1, 0]]))
show(m.eval())
attempt(lambda: train.Dice(0))
attempt(lambda: train.Dice(0.0))
m = train.BleuScore()
m.update([["a", "b", "c", "d", "e"]], [[["a", "b", "c", "d", "f", "g"], ["b", "c"]]])
show(m.eval())
m = train.BleuScore(2, True)
m.update([["a", "b", "c"]], [[["a", "b", "c", "d"]]])
show(m.eval())
m = train.BleuScore(2, True)
m.update([["a", "b", "c"]], [[["a", "x", "c", "d"]]])
show(m.eval())
attempt(lambda: train.BleuScore(5))

# %% roc
m = train.ROC(pos_label=1)
m.update(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1]))
fpr, tpr, thresholds = m.eval()
show(fpr, tpr, thresholds, train.auc(fpr, tpr))
attempt(lambda: train.auc(np.array([0, 1]), np.array([0])))
attempt(lambda: train.auc(np.array([0, 1, 0.5, 2]), np.array([0, 1, 2, 3])))
show(train.auc(np.array([0, 1, 0.5, 2]), np.array([0, 1, 2, 3]), reorder=True), train.auc(np.array([2, 1]), np.array([1, 2])))

# %% surfaces
X1 = np.array([[3, 0, 1, 1], [1, 3, 0, 1], [1, 0, 2, 0], [1, 1, 1, 0]])
Y1 = np.array([[0, 2, 1, 1], [1, 2, 1, 1], [0, 0, 1, 1], [1, 0, 0, 0]])
for kind in (train.HausdorffDistance, train.MeanSurfaceDistance, train.RootMeanSquareDistance):
    for distance in ("euclidean", "chessboard", "taxicab"):
        m = kind(distance_metric=distance)
        m.update(X1, Y1, 1)
        show(float(m.eval()))
for m in (train.MeanSurfaceDistance(True), train.RootMeanSquareDistance(True), train.HausdorffDistance(directed=True),
          train.HausdorffDistance(percentile=50.0)):
    m.update(X1, Y1, 1)
    show(float(m.eval()))
attempt(lambda: train.HausdorffDistance("x"))

# %% indexes
m = train.Accuracy().set_indexes([1, 0])
m.update(L, P)
show(m.eval(), m.indexes)
attempt(lambda: m.set_indexes(3))
attempt(lambda: m.set_indexes([0, 5]).update(L, P))
attempt(lambda: m.set_indexes([0, 1]).update("x", P))

# %% by name
for name in ("acc", "accuracy", "precision", "recall", "F1", "mae", "mse", "loss", "top_1_accuracy", "top_5_accuracy"):
    show(type(train.get_metric_fn(name)).__name__)
show(train.get_metric_fn("topk", 2).k)
attempt(lambda: train.get_metric_fn("zzz"))

# %% surfaces of other sizes, and of none
a, b, none = np.zeros((4, 4)), np.zeros((4, 4)), np.zeros((4, 4))
a[1:3, 1:3] = 1
b[0, 0:3] = 1
for name in ("MeanSurfaceDistance", "RootMeanSquareDistance"):
    for symmetric in (False, True):
        for found, true in ((a, b), (b, a), (a, none), (none, a)):
            metric = getattr(train, name)(symmetric, "chessboard")
            metric.update(Tensor(found), Tensor(true), 1)
            print(name, symmetric, f"{float(metric.eval()):.6f}")

# %% several losses at once
metric = train.Loss()
metric.update(Tensor([1.0, 2.0, 6.0]))
metric.update(Tensor(1.0))
print(float(metric.eval()))
attempt(lambda: metric.update(Tensor([[1.0, 2.0]])))

# %% sets of labels that are empty
for metric in (train.Precision("multilabel"), train.Recall("multilabel")):
    metric.update(Tensor([[0.0, 1.0], [0.0, 0.0]]), Tensor([[1.0, 1.0], [0.0, 0.0]]))
    print([float(v) for v in metric.eval()])

# %% confusion matrix metric of each sample
found, true = (np.tile(np.eye(3)[rows][:, :, None], 2) for rows in ([1, 0, 2], [1, 0, 0]))
for skip in (True, False):
    for decrease in ("mean", "sum"):
        metric = train.ConfusionMatrixMetric(skip, "f1", True, decrease)
        metric.update(found, true)
        metric.update(found, true)
        print(np.shape(metric.eval()), round(float(metric.eval()), 5))

# %% labels that are no labels
wrong, sets = np.array([[0, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 0]]), np.array([[0, 1, 1], [1, 1, 0], [0, 0, 1], [1, 0, 0]])
attempt(lambda: train.Accuracy().update(P, wrong))
attempt(lambda: train.Precision().update(P, sets))
attempt(lambda: train.Recall().update(P[:, 0], L))
attempt(lambda: train.Accuracy("multilabel").update(P, wrong))
attempt(lambda: train.Precision("multilabel").update(P, sets))
attempt(lambda: train.TopKCategoricalAccuracy(5).update(P, L))
attempt(lambda: train.ConfusionMatrixMetric().update(P, P))
attempt(lambda: train.ConfusionMatrixMetric().update(L, L))

# %% sets of labels in several dimensions
metric, image = train.Precision("multilabel"), (np.arange(24).reshape(2, 3, 2, 2) % 5 < 2).astype(int)
metric.update(image, image[:, ::-1].copy())
show(metric.eval(), metric.eval(True))

# %% dice and roc of several batches
metric = train.Dice(3.0)
metric.update(P, P[::-1].copy())
show(metric.eval())
metric = train.ROC(pos_label=1)
metric.update([0.1, 0.4, 0.4, 0.8], [0, 1, 0, 0])
metric.update([0.3, 0.2, 0.9], [0, 1, 1])
show(metric.eval())
